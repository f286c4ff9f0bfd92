import Attribution
import COpenSSL

/// The public half of a key, which verifies.
struct ECPublicKey: Sendable {
    private let key: ECKeyObject
    /// The key in DER (SPKI).
    let subjectPublicKeyInfo: [UInt8]

    /// Reads a key from DER (SPKI); nil if the bytes are not a key.
    init?(subjectPublicKeyInfo der: [UInt8]) {
        defer { ERR_clear_error() }
        let handle = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_PUBKEY(nil, &cursor, buffer.count)
        }
        guard let handle, let key = ECKeyObject(owning: handle) else {
            return nil
        }
        self.key = key
        subjectPublicKeyInfo = der
    }

    /// Reads a key in PEM (SPKI); nil if the text is not a key.
    init?(pem: String) {
        let key = ECKeyObject(pem: pem) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let key, let der = try? key.subjectPublicKeyInfo() else {
            return nil
        }
        self.key = key
        subjectPublicKeyInfo = der
    }

    /// The curve.
    var curve: SignatureCurve {
        key.curve
    }

    /// The key in PEM (SPKI).
    func pem() throws -> String {
        try key.pem { PEM_write_bio_PUBKEY($0, $1) }
    }

    /// Verifies a signature over a SHA-256 digest.
    ///
    /// - Parameters:
    ///   - signature: A signature in strictly checked DER; OpenSSL would report invalid DER as an error, and an error
    ///     here means that nothing was decided.
    ///   - digest: The digest.
    ///   - properties: An OpenSSL property query that the implementation must match; nil for any.
    /// - Returns: The verdict.
    func verdict(on signature: [UInt8], digest: [UInt8], properties: String? = nil) -> SignatureVerdict {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.handle, properties) else {
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
            // The owner of the private key can craft a signature whose sum is the point at infinity.
            return error.isPointAtInfinity ? .invalid : .undecided(reason: error.description)
        }
    }

    /// Whether this is the public half of a private key.
    func matches(_ privateKey: ECPrivateKey) -> Bool {
        key.hasSamePublicHalf(as: privateKey.key)
    }
}
