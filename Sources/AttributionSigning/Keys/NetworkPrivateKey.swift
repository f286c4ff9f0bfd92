package import Attribution
import COpenSSL
import FixedKeyECDSA
import Platform

/// A network's private key, which signs impressions.
package struct NetworkPrivateKey: Sendable {
    let key: ECKeyObject
    /// An initialized signing context to copy, which saves looking up the algorithm, a tenth of the time.
    private let signing: OpenSSLObject

    /// Generates a new key from the system's randomness.
    package static func generate(_ curve: SignatureCurve) throws -> NetworkPrivateKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else {
            throw OpenSSLError.last("EVP_PKEY_CTX_new_id")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1,
            EVP_PKEY_generate(context, &handle) == 1, let handle, let object = ECKeyObject(owning: handle),
            let key = NetworkPrivateKey(object)
        else {
            throw OpenSSLError.last("EVP_PKEY_generate")
        }
        return key
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

    /// Reads the private key among bytes, in any form that ``KeyMaterial`` knows.
    package init(reading bytes: [UInt8], file: String) throws(KeyProblem) {
        try self.init(KeyMaterial(reading: bytes), file: file)
    }

    /// Reads a key file that only its owner can read.
    package init(file: String) throws(KeyProblem) {
        try self.init(try KeyFile.material(file, isSecret: true), file: file)
    }

    private init(_ material: KeyMaterial, file: String) throws(KeyProblem) {
        guard let object = material.privateKey, let key = NetworkPrivateKey(object) else {
            throw material.publicKey == nil
                ? .noPrivateKey(file: file, found: material.unusable) : .publicInsteadOfPrivate(file: file)
        }
        self = key
    }

    package var curve: SignatureCurve { key.curve }

    /// The key in unencrypted PEM (PKCS#8); secret.
    package func pem() throws -> String {
        try key.pem { PEM_write_bio_PKCS8PrivateKey($0, $1, nil, nil, 0, nil, nil) }
    }

    /// The public half.
    package func publicKey() throws -> SignaturePublicKey {
        guard let key = SignaturePublicKey(subjectPublicKeyInfo: try key.subjectPublicKeyInfo()) else {
            throw OpenSSLError.last("d2i_PUBKEY")
        }
        return key
    }

    /// Signs a text; DER, different each time.
    package func signature(for text: SignedText) throws -> [UInt8] {
        try signature(over: text.utf8)
    }

    /// Signs bytes; DER, different each time.
    ///
    /// For a harness that joins the values of a postback itself, so that it does not inherit a mistake in how they are
    /// read.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] {
        try signature(digest: SHA256.digest(of: bytes).bytes)
    }

    /// Signs a SHA-256 digest; a DER `ECDSA-Sig-Value`, different each time.
    package func signature(digest: [UInt8]) throws -> [UInt8] {
        guard let context = EVP_PKEY_CTX_dup(signing.pointer) else {
            throw OpenSSLError.last("EVP_PKEY_CTX_dup")
        }
        defer { EVP_PKEY_CTX_free(context) }
        // More than the longest signature on P-256, of 72 bytes.
        let capacity = 128
        return try [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var length = capacity
            guard EVP_PKEY_sign(context, buffer.baseAddress, &length, digest, digest.count) == 1 else {
                throw OpenSSLError.last("EVP_PKEY_sign")
            }
            count = length
        }
    }

    /// Signs bytes for a JSON Web Signature: r‖s, 64 bytes, different each time.
    ///
    /// - Parameter bytes: Header, dot and payload.
    /// - Returns: The signature.
    /// - Throws: ``KeyProblem/wrongCurveForJWS(_:)`` for a key that is not on P-256, or an OpenSSL error.
    package func jwsSignature(for bytes: [UInt8]) throws -> [UInt8] {
        guard curve == .p256 else {
            throw KeyProblem.wrongCurveForJWS(curve)
        }
        guard let signature = ECDSASignature(try signature(over: bytes), .der, on: .p256) else {
            throw SignerError.signatureDoesNotVerify
        }
        return signature.raw
    }
}
