package import Attribution
import FixedKeyECDSA
import Foundation
import Hashing
import StrictJSON

/// A public key that verifies signatures.
package struct SignaturePublicKey: Sendable {
    private let key: ECPublicKey
    /// An OpenSSL property query that the implementation must match; nil for any.
    private var properties: String?

    init(key: ECPublicKey) {
        self.key = key
    }

    /// Reads a key from base64 of DER SubjectPublicKeyInfo; nil if it is not a key on P-192 or P-256.
    package init?(base64: String) {
        guard let der = Base64.decode(base64), let key = ECPublicKey(subjectPublicKeyInfo: der) else {
            return nil
        }
        self.key = key
    }

    /// Reads a public key from PEM, or takes the public half of a private one.
    ///
    /// - Throws: ``KeyProblem/noPublicKey(file:)`` if the text has neither.
    package init(pem: String, file: String) throws(KeyProblem) {
        guard let key = ECPublicKey(pem: pem) ?? (try? ECPrivateKey(pem: pem)?.publicKey()) else {
            throw .noPublicKey(file: file)
        }
        self.key = key
    }

    /// Reads a file with a public key, or with a private one and takes its public half.
    package init(file: String) throws(KeyProblem) {
        try self.init(pem: try KeyFile.read(file), file: file)
    }

    /// The curve.
    package var curve: SignatureCurve {
        key.curve
    }

    /// The key as DER SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8] {
        key.subjectPublicKeyInfo
    }

    /// The key as base64 of DER SubjectPublicKeyInfo, as Apple publishes its own.
    package var base64: String {
        Base64.encode(subjectPublicKeyInfo)
    }

    /// The key as PEM, the format in which networks register with Apple.
    package func pem() throws -> String {
        try key.pem()
    }

    /// The SHA-256 of the SubjectPublicKeyInfo in hexadecimal.
    package var fingerprint: String {
        SHA256.digest(of: subjectPublicKeyInfo).hexadecimal
    }

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
    func verdict(on signature: [UInt8], _ encoding: SignatureEncoding, digest: [UInt8]) -> SignatureVerdict {
        let curve: ECDSACurve = curve == .p256 ? .p256 : .p192
        switch encoding {
        case .der:
            guard ECDSASignature(der: signature.span, on: curve) != nil else {
                return .invalid
            }
            return key.verdict(on: signature, digest: digest, properties: properties)
        case .concatenated:
            guard ECDSASignature(raw: signature.span, on: curve) != nil else {
                return .invalid
            }
            // OpenSSL accepts only DER.
            guard let der = ConcatenatedSignature.der(signature) else {
                return .undecided(reason: OpenSSLError.last("i2d_ECDSA_SIG").description)
            }
            return key.verdict(on: der, digest: digest, properties: properties)
        }
    }

    /// The same key, restricted to implementations with some properties; without one, every verdict is undecided.
    ///
    /// - Parameter properties: An OpenSSL property query, such as `fips=yes`.
    /// - Returns: The key.
    package func requiring(properties: String) -> SignaturePublicKey {
        var key = self
        key.properties = properties
        return key
    }

    /// Whether this is the public half of a private key.
    package func matches(_ privateKey: NetworkPrivateKey) -> Bool {
        key.matches(privateKey.key)
    }
}
