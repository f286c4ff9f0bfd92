import Attribution
import COpenSSL

/// A private key, which signs.
struct ECPrivateKey: Sendable {
    /// More than the longest DER signature on P-256, of 72 bytes.
    static let longestSignature = 128

    let key: ECKeyObject
    /// An initialized signing context to copy, which saves looking up the algorithm, a tenth of the time.
    private let signing: OpenSSLObject

    /// Generates a key from the system's randomness.
    static func generate(_ curve: SignatureCurve) throws -> ECPrivateKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else {
            throw OpenSSLError.last("EVP_PKEY_CTX_new_id")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1,
            EVP_PKEY_generate(context, &handle) == 1, let handle, let object = ECKeyObject(owning: handle),
            let key = ECPrivateKey(object)
        else {
            throw OpenSSLError.last("EVP_PKEY_generate")
        }
        return key
    }

    /// Reads a key in PEM, PKCS#8 or SEC 1; nil if the text is not a key or is encrypted.
    init?(pem: String) {
        // The callback provides no password; without it, OpenSSL would prompt at the terminal.
        let key = ECKeyObject(pem: pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let key else {
            return nil
        }
        self.init(key)
    }

    private init?(_ key: ECKeyObject) {
        defer { ERR_clear_error() }
        guard let context = EVP_PKEY_CTX_new(key.handle, nil) else {
            return nil
        }
        signing = OpenSSLObject(owning: context) { EVP_PKEY_CTX_free($0) }
        guard EVP_PKEY_sign_init(context) == 1 else {
            return nil
        }
        self.key = key
    }

    /// The curve.
    var curve: SignatureCurve {
        key.curve
    }

    /// The key in unencrypted PEM (PKCS#8); secret.
    func pem() throws -> String {
        try key.pem { PEM_write_bio_PKCS8PrivateKey($0, $1, nil, nil, 0, nil, nil) }
    }

    /// The public half.
    func publicKey() throws -> ECPublicKey {
        guard let key = ECPublicKey(subjectPublicKeyInfo: try key.subjectPublicKeyInfo()) else {
            throw OpenSSLError.last("d2i_PUBKEY")
        }
        return key
    }

    /// Signs a SHA-256 digest; the signature is a DER `ECDSA-Sig-Value`, different each time.
    func sign(digest: [UInt8]) throws -> [UInt8] {
        let context = try makeSigningContext()
        defer { EVP_PKEY_CTX_free(context) }
        return try Self.sign(digest: digest, in: context)
    }

    /// A signing context for one thread, which the caller frees before the key.
    func makeSigningContext() throws -> OpaquePointer {
        guard let context = EVP_PKEY_CTX_dup(signing.pointer) else {
            throw OpenSSLError.last("EVP_PKEY_CTX_dup")
        }
        return context
    }

    /// Signs a SHA-256 digest in a context of ``makeSigningContext()``.
    static func sign(digest: [UInt8], in context: OpaquePointer) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: longestSignature) { buffer, count in
            var length = longestSignature
            guard EVP_PKEY_sign(context, buffer.baseAddress, &length, digest, digest.count) == 1 else {
                throw OpenSSLError.last("EVP_PKEY_sign")
            }
            count = length
        }
    }
}
