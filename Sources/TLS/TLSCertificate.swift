import COpenSSL

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// What is of interest about an X.509 certificate.
package struct TLSCertificate: Hashable, Sendable {
    /// When it begins to be valid, in Unix seconds.
    package let notValidBefore: Int
    /// When it ends, in Unix seconds.
    package let notValidAfter: Int

    /// Reads one of OpenSSL's; nil when its times cannot be read.
    init?(_ certificate: OpaquePointer) {
        guard let start = Self.seconds(X509_get0_notBefore(certificate)),
            let end = Self.seconds(X509_get0_notAfter(certificate))
        else {
            return nil
        }
        (notValidBefore, notValidAfter) = (start, end)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return timegm(&parts)
    }
}

/// Bytes of PEM, to be read object by object.
final class PEM {
    private let bio: OpaquePointer

    init(_ bytes: [UInt8]) throws(TLSError) {
        guard let bio = BIO_new(BIO_s_mem()) else {
            throw .unavailable
        }
        self.bio = bio
        guard !bytes.isEmpty, BIO_write(bio, bytes, CInt(clamping: bytes.count)) == bytes.count else {
            throw .invalidPEM
        }
    }

    deinit {
        BIO_free(bio)
    }

    /// All certificates, which the caller has to free.
    ///
    /// - Throws: ``TLSError/invalidPEM`` when there is none, or one that cannot be read.
    func certificates() throws(TLSError) -> [OpaquePointer] {
        var certificates: [OpaquePointer] = []
        ERR_clear_error()
        while let certificate = PEM_read_bio_X509(bio, nil, Self.noPassphrase, nil) {
            certificates.append(certificate)
        }
        // After the last one nothing else begins; text between certificates is allowed.
        let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        ERR_clear_error()
        guard isAtEnd, !certificates.isEmpty else {
            certificates.forEach { X509_free($0) }
            throw .invalidPEM
        }
        return certificates
    }

    /// The first private key, which the caller has to free.
    ///
    /// - Throws: ``TLSError/invalidPEM``, also for a key with a passphrase.
    func privateKey() throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let key = PEM_read_bio_PrivateKey(bio, nil, Self.noPassphrase, nil) else {
            throw .invalidPEM
        }
        return key
    }

    /// Without it, OpenSSL would ask at the terminal.
    private static let noPassphrase:
        @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt = { _, _, _, _ in
            -1
        }
}
