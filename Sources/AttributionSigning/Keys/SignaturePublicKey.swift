package import Attribution
import COpenSSL
import FixedKeyECDSA
import Platform
import StrictJSON

/// A public key that verifies signatures.
package struct SignaturePublicKey: Sendable {
    private let key: ECKeyObject
    /// The key as DER SubjectPublicKeyInfo.
    package let subjectPublicKeyInfo: [UInt8]
    /// An OpenSSL property query that the implementation must match; nil for any.
    private var properties: String?

    /// Reads a key from DER SubjectPublicKeyInfo; nil if it is not a key on P-192 or P-256.
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

    /// Reads a key from base64 of DER SubjectPublicKeyInfo; nil if it is not a key on P-192 or P-256.
    package init?(base64: String) {
        guard let der = Base64.decode(base64) else {
            return nil
        }
        self.init(subjectPublicKeyInfo: der)
    }

    /// Reads the public key among bytes, in any form that ``KeyMaterial`` knows, or takes the public half of a private
    /// one.
    ///
    /// - Throws: ``KeyProblem/noPublicKey(file:found:)`` if there is neither.
    package init(reading bytes: [UInt8], file: String) throws(KeyProblem) {
        try self.init(KeyMaterial(reading: bytes), file: file)
    }

    /// Takes the public key of what was read.
    init(_ material: KeyMaterial, file: String) throws(KeyProblem) {
        guard let key = material.publicKey ?? material.privateKey else {
            throw .noPublicKey(file: file, found: material.unusable)
        }
        // A key has one encoding here, so that it is recognized however a file has its point.
        _ = EVP_PKEY_set_utf8_string_param(key.handle, "point-format", "uncompressed")
        // Without the private half, which the object of a private key has.
        guard let der = try? key.subjectPublicKeyInfo(), let key = SignaturePublicKey(subjectPublicKeyInfo: der) else {
            throw .noPublicKey(file: file, found: material.unusable)
        }
        self = key
    }

    /// Reads a file with a public key, or with a private one and takes its public half.
    package init(file: String) throws(KeyProblem) {
        try self.init(try KeyFile.material(file), file: file)
    }

    package var curve: SignatureCurve { key.curve }

    /// The key as base64 of DER SubjectPublicKeyInfo, as Apple publishes its own.
    package var base64: String { Base64.encode(subjectPublicKeyInfo) }

    /// The key as PEM (SPKI), the format in which networks register with Apple.
    package func pem() throws -> String {
        try key.pem { PEM_write_bio_PUBKEY($0, $1) }
    }

    /// The SHA-256 of the SubjectPublicKeyInfo in hexadecimal.
    package var fingerprint: String {
        SHA256.digest(of: subjectPublicKeyInfo).hexadecimal
    }

    /// Whether this is the public half of a private key.
    package func matches(_ privateKey: NetworkPrivateKey) -> Bool {
        EVP_PKEY_eq(key.handle, privateKey.key.handle) == 1
    }

    /// The same key, restricted to implementations with some properties; without one, every verdict is undecided.
    package func requiring(properties: String) -> SignaturePublicKey {
        var key = self
        key.properties = properties
        return key
    }

    // MARK: Verifying

    /// Whether a DER signature over a text verifies under this key.
    package func verifies(_ signature: [UInt8], for text: SignedText) -> Bool {
        verifies(signature, forBytes: text.utf8)
    }

    /// Whether a DER signature over bytes verifies under this key.
    package func verifies(_ signature: [UInt8], forBytes bytes: [UInt8]) -> Bool {
        verifies(signature, digest: SHA256.digest(of: bytes).bytes)
    }

    /// Whether a DER signature over a SHA-256 digest verifies under this key; false if OpenSSL cannot decide.
    package func verifies(_ signature: [UInt8], digest: [UInt8]) -> Bool {
        verdict(on: signature, .der, digest: digest) == .valid
    }

    /// Verifies a signature over a SHA-256 digest.
    ///
    /// A signature that is malformed or out of range is invalid without calling OpenSSL, which would report an error:
    /// no sender may cause an undecided verdict.
    package func verdict(
        on signature: [UInt8], _ encoding: SignatureEncoding, digest: [UInt8]
    ) -> SignatureVerdict {
        guard let signature = ECDSASignature(signature, encoding, on: curve) else {
            return .invalid
        }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.handle, properties) else {
            return .undecided(reason: OpenSSLError.last("EVP_PKEY_CTX_new_from_pkey").description)
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_verify_init(context) == 1 else {
            return .undecided(reason: OpenSSLError.last("EVP_PKEY_verify_init").description)
        }
        ERR_clear_error()
        // OpenSSL accepts only DER.
        let der = signature.der
        switch EVP_PKEY_verify(context, der, der.count, digest, digest.count) {
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
}

/// The result of verifying a signature under a key.
package enum SignatureVerdict: Equatable, Sendable {
    /// The signature is valid.
    case valid
    /// The signature is invalid.
    case invalid
    /// Verification failed because of this machine, not because of the signature.
    case undecided(reason: String)
}

extension ECDSASignature {
    /// Reads a signature in an encoding; nil for one that is malformed or out of range, and so invalid.
    init?(_ bytes: [UInt8], _ encoding: SignatureEncoding, on curve: SignatureCurve) {
        let curve: ECDSACurve = curve == .p256 ? .p256 : .p192
        switch encoding {
        case .der: self.init(der: bytes.span, on: curve)
        case .concatenated: self.init(raw: bytes.span, on: curve)
        }
    }
}
