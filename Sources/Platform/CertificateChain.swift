import COpenSSL

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The certificates of a server, as its clients get them.
package struct CertificateChain: ~Copyable {
    /// What is wrong with their order or number.
    package enum Fault: Hashable, Sendable {
        /// Each has to come before the one it was issued with; the names are in that order.
        case wrongOrder([String])
        /// The issuer of the last certificate is neither among them nor an authority that this machine knows.
        case missingIssuer(of: String, issuer: String)

        /// What was found.
        package var message: String {
            switch self {
            case .wrongOrder: "the certificates are in the wrong order"
            case .missingIssuer(let name, let issuer):
                "the chain ends with \(name), whose issuer \(issuer) is neither in it nor known to this machine: "
                    + "an intermediate certificate is missing"
            }
        }

        /// What to do.
        package var hint: String {
            switch self {
            case .wrongOrder(let names): "write them in this order: \(names.joined(separator: ", then "))"
            case .missingIssuer: "give the whole chain as the authority issues it, often fullchain.pem"
            }
        }
    }

    /// Whether clients that trust what this machine trusts accept them.
    package enum Verdict: Hashable, Sendable {
        case trusted, expired, notYetValid, wrongName, selfSigned, unknownIssuer
        case other(String)
    }

    private let certificates: [OpaquePointer]

    /// Reads the certificates in PEM; other blocks are ignored.
    package init(pem: [UInt8]) {
        var certificates: [OpaquePointer] = []
        pem.withUnsafeBytes { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return }
            defer { BIO_free(input) }
            while let certificate = PEM_read_bio_X509(input, nil, { _, _, _, _ in -1 }, nil) {
                certificates.append(certificate)
            }
        }
        ERR_clear_error()
        self.certificates = certificates
    }

    /// Why not every certificate in a file of PEM can be read; nil for a file without any.
    package static func damage(in pem: [UInt8]) -> String? {
        let text = String(decoding: pem, as: UTF8.self)
        let begins = text.ranges(of: "-----BEGIN CERTIFICATE-----").count
        guard !text.contains("-----END CERTIFICATE----------BEGIN ") else {
            return "an END line and the next BEGIN line are one; put a line break between ----- and -----"
        }
        let read = CertificateChain(pem: pem).certificates.count
        return read < begins ? "certificate \(read + 1) of \(begins) is cut off or damaged; copy it again, whole" : nil
    }

    /// Reads the certificates in DER that a server sent, its own first.
    package init(der: [[UInt8]]) {
        certificates = der.compactMap { bytes in
            bytes.withUnsafeBufferPointer { buffer in
                var cursor = buffer.baseAddress
                return d2i_X509(nil, &cursor, buffer.count)
            }
        }
        ERR_clear_error()
    }

    deinit {
        for certificate in certificates { X509_free(certificate) }
    }

    /// What is wrong with their order or number, if anything is.
    package func fault() -> Fault? {
        let path = path
        guard let last = path.last else { return nil }
        guard path == Array(0..<path.count) else { return .wrongOrder(path.map { Self.subject(certificates[$0]) }) }
        let top = certificates[last]
        guard !Self.issued(top, by: top), !Self.isIssuerKnown(of: top), path.count == 1 || Self.knowsAuthorities else {
            return nil
        }
        return .missingIssuer(
            of: Self.subject(top), issuer: Self.text(X509_get_issuer_name(top)))
    }

    /// The indices from the server's own certificate to the last that it leads to.
    private var path: [Int] {
        let ends = certificates.indices.filter { index in
            !certificates.indices.contains { $0 != index && Self.issued(certificates[$0], by: certificates[index]) }
        }
        guard let first = ends.first else { return certificates.isEmpty ? [] : [0] }
        var path = [first]
        while let next = certificates.indices.first(where: { index in
            !path.contains(index) && Self.issued(certificates[path[path.count - 1]], by: certificates[index])
        }) {
            path.append(next)
        }
        return path
    }

    private static func issued(_ certificate: OpaquePointer, by issuer: OpaquePointer) -> Bool {
        X509_check_issued(issuer, certificate) == X509_V_OK
    }

    private static func subject(_ certificate: OpaquePointer) -> String {
        text(X509_get_subject_name(certificate))
    }

    private static func text(_ name: OpaquePointer?) -> String {
        var text = [CChar](repeating: 0, count: 256)
        guard X509_NAME_oneline(name, &text, Int32(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: Authorities

    /// Calls `body` with a context whose store has the authorities of this machine.
    private static func withContext<Result>(
        _ certificate: OpaquePointer?, _ chain: OpaquePointer?, _ body: (OpaquePointer) -> Result
    ) -> Result? {
        defer { ERR_clear_error() }
        guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new() else { return nil }
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
        }
        guard X509_STORE_set_default_paths(store) == 1,
            X509_STORE_CTX_init(context, store, certificate, chain) == 1
        else { return nil }
        return body(context)
    }

    private static func isIssuerKnown(of certificate: OpaquePointer) -> Bool {
        withContext(nil, nil) { context in
            var issuer: OpaquePointer?
            defer { X509_free(issuer) }
            return X509_STORE_CTX_get1_issuer(&issuer, context, certificate) == 1
        } ?? false
    }

    /// Whether this machine has a list of authorities at all; small containers have none.
    private static var knowsAuthorities: Bool {
        [
            (X509_get_default_cert_file_env(), X509_get_default_cert_file()),
            (X509_get_default_cert_dir_env(), X509_get_default_cert_dir()),
        ].contains { variable, path in
            guard let path = variable.flatMap({ getenv($0) }).map({ UnsafePointer($0) }) ?? path else { return false }
            guard let folder = opendir(path) else { return access(path, R_OK) == 0 }
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                if entry.pointee.d_name.0 != 0x2E { return true }
            }
            return false
        }
    }

    /// Verifies them as a client of a server with a name or an address does.
    package func verdict(for host: String) -> Verdict {
        guard let own = certificates.first, let others = OPENSSL_sk_new_null() else { return .other("no certificate") }
        defer { OPENSSL_sk_free(others) }
        for certificate in certificates.dropFirst() { OPENSSL_sk_push(others, UnsafeRawPointer(certificate)) }
        let verdict = Self.withContext(own, others) { context -> Verdict in
            X509_STORE_CTX_set_default(context, "ssl_server")
            let parameters = X509_STORE_CTX_get0_param(context)
            if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
                X509_VERIFY_PARAM_set1_host(parameters, host, 0)
                // Devices do not look for a name in the subject.
                X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
            }
            guard X509_verify_cert(context) != 1 else { return .trusted }
            let error = X509_STORE_CTX_get_error(context)
            switch error {
            case X509_V_ERR_CERT_HAS_EXPIRED: return .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: return .notYetValid
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .wrongName
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return .selfSigned
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                return .unknownIssuer
            default: return .other(String(cString: X509_verify_cert_error_string(Int(error))))
            }
        }
        return verdict ?? .other("OpenSSL could not verify it")
    }
}
