import Attribution
import COpenSSL
import Foundation

/// An elliptic-curve key inside OpenSSL, of one of the two curves SKAdNetwork signs on.
///
/// It is the only place that calls OpenSSL; keys, signer and verifier are built on it.
// Proof for @unchecked Sendable: `handle` and `signing` are set once and never changed or handed out; OpenSSL allows any
// number of threads to use one EVP_PKEY at a time, as every operation here makes its own context, if only by copying
// `signing`, which EVP_PKEY_CTX_dup takes as a constant.
final class ECKey: @unchecked Sendable {
    let curve: SignatureCurve
    private let handle: OpaquePointer
    /// A context that is ready to sign, for copying: that saves looking up the algorithm, a tenth of the time.
    private let signing: OpaquePointer

    /// Takes ownership of the handle; nil when it is no key of a curve known here.
    private init?(owning handle: OpaquePointer) {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let isNamed = EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1
        let group = String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let signing = EVP_PKEY_CTX_new(handle, nil)
        guard isNamed, let curve = SignatureCurve.allCases.first(where: { $0.groupName == group }), let signing,
            EVP_PKEY_sign_init(signing) == 1
        else {
            EVP_PKEY_CTX_free(signing)
            EVP_PKEY_free(handle)
            return nil
        }
        self.curve = curve
        self.handle = handle
        self.signing = signing
    }

    deinit {
        EVP_PKEY_CTX_free(signing)
        EVP_PKEY_free(handle)
    }

    // MARK: Making

    /// Generates a key pair from the system's randomness.
    static func generate(_ curve: SignatureCurve) throws -> ECKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else {
            throw OpenSSLError.last("EVP_PKEY_CTX_new_id")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key, let result = ECKey(owning: key)
        else {
            throw OpenSSLError.last("EVP_PKEY_generate")
        }
        return result
    }

    /// Reads a private key in PEM: PKCS#8, or the older SEC 1 form; nil when the text is none or encrypted.
    static func privateKey(pem: String) -> ECKey? {
        // A callback that gives no password, or OpenSSL would ask for one at the terminal.
        read(pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a public key in PEM (SPKI); nil when the text is none.
    static func publicKey(pem: String) -> ECKey? {
        read(pem) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a public key from DER (SPKI); nil when the bytes are none.
    static func publicKey(subjectPublicKeyInfo der: [UInt8]) -> ECKey? {
        let key = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_PUBKEY(nil, &cursor, buffer.count)
        }
        ERR_clear_error()
        return key.flatMap(ECKey.init(owning:))
    }

    private static func read(_ pem: String, _ reader: (OpaquePointer) -> OpaquePointer?) -> ECKey? {
        Array(pem.utf8).withUnsafeBytes { bytes in
            // OpenSSL reads the bytes where they are, until the BIO is freed.
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                ERR_clear_error()
                return nil
            }
            defer {
                BIO_free(input)
                ERR_clear_error()
            }
            return reader(input).flatMap(ECKey.init(owning:))
        }
    }

    // MARK: Writing

    /// The private key in PEM, PKCS#8, not encrypted.
    func privateKeyPEM() throws -> String {
        try write { PEM_write_bio_PKCS8PrivateKey($0, handle, nil, nil, 0, nil, nil) }
    }

    /// The public key in PEM (SPKI).
    func publicKeyPEM() throws -> String {
        try write { PEM_write_bio_PUBKEY($0, handle) }
    }

    /// The public key in DER (SPKI).
    func subjectPublicKeyInfo() throws -> [UInt8] {
        let length = i2d_PUBKEY(handle, nil)
        guard length > 0 else {
            throw OpenSSLError.last("i2d_PUBKEY")
        }
        var der = [UInt8](repeating: 0, count: Int(length))
        der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            _ = i2d_PUBKEY(handle, &cursor)
        }
        return der
    }

    private func write(_ writer: (OpaquePointer) -> Int32) throws -> String {
        guard let output = BIO_new(BIO_s_mem()) else {
            throw OpenSSLError.last("BIO_new")
        }
        defer { BIO_free(output) }
        guard writer(output) == 1 else {
            throw OpenSSLError.last("PEM_write_bio")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }

    // MARK: Using

    /// Signs a SHA-256 digest; the signature is a DER `ECDSA-Sig-Value`, different each time.
    func sign(digest: [UInt8]) throws -> [UInt8] {
        guard let context = EVP_PKEY_CTX_dup(signing) else {
            throw OpenSSLError.last("EVP_PKEY_CTX_dup")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var length = 128  // the longest DER signature on P-256 has 72 bytes
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_sign(context, &signature, &length, digest, digest.count) == 1 else {
            throw OpenSSLError.last("EVP_PKEY_sign")
        }
        return Array(signature.prefix(length))
    }

    /// Tells whether a signature over a SHA-256 digest is this key's.
    ///
    /// - Parameters:
    ///   - signature: DER, accepted by a strict reader before: OpenSSL reports an error for what is no DER, and an error
    ///     here means that nothing was decided.
    ///   - digest: The digest.
    ///   - properties: What an implementation of the algorithm must have, as OpenSSL's property queries say it; nil for
    ///     any.
    /// - Returns: The verdict.
    func verdict(on signature: [UInt8], digest: [UInt8], properties: String? = nil) -> SignatureVerdict {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, properties) else {
            return .undecided(reason: OpenSSLError.last("EVP_PKEY_CTX_new_from_pkey").description)
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_verify_init(context) == 1 else {
            return .undecided(reason: OpenSSLError.last("EVP_PKEY_verify_init").description)
        }
        ERR_clear_error()
        let result = EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
        switch result {
        case 1:
            return .valid
        case 0:
            // A refused signature leaves entries in the thread's error queue.
            ERR_clear_error()
            return .invalid
        default:
            let error = OpenSSLError.last("EVP_PKEY_verify")
            // The sum of a signature made for it, by somebody who knows the private key, has no coordinates.
            return error.isPointAtInfinity ? .invalid : .undecided(reason: error.description)
        }
    }

    /// Tells whether two keys have the same public half.
    func matches(_ other: ECKey) -> Bool {
        EVP_PKEY_eq(handle, other.handle) == 1
    }
}

extension SignatureCurve {
    /// OpenSSL's name of the curve.
    fileprivate var groupName: String {
        switch self {
        case .p192: "prime192v1"
        case .p256: "prime256v1"
        }
    }
}
