package import Attribution
import Foundation
import Hashing

/// A network's private key, which signs impressions.
package struct NetworkPrivateKey: Sendable {
    let key: ECPrivateKey

    /// Generates a new key.
    package static func generate(_ curve: SignatureCurve) throws -> NetworkPrivateKey {
        NetworkPrivateKey(key: try ECPrivateKey.generate(curve))
    }

    private init(key: ECPrivateKey) {
        self.key = key
    }

    /// Reads a key in PEM, PKCS#8 or SEC 1.
    ///
    /// - Throws: ``KeyProblem/noPrivateKey(file:)`` if the text has no private key on P-192 or P-256.
    package init(pem: String, file: String) throws(KeyProblem) {
        guard let key = ECPrivateKey(pem: pem) else {
            throw ECPublicKey(pem: pem) == nil ? .noPrivateKey(file: file) : .publicInsteadOfPrivate(file: file)
        }
        self.key = key
    }

    /// Reads a key file that only its owner can read.
    ///
    /// - Throws: ``KeyProblem`` with the file and a hint.
    package init(file: String) throws(KeyProblem) {
        let text: String
        do throws(KeyProblem) {
            text = try KeyFile.readPrivate(file)
        } catch {
            switch error {
            case .openToOthers, .ownedByAnother:
                // Everyone may read a public key, and no other mode would make it sign.
                if let text = try? KeyFile.read(file), ECPrivateKey(pem: text) == nil, ECPublicKey(pem: text) != nil {
                    throw .publicInsteadOfPrivate(file: file)
                }
            default: break
            }
            throw error
        }
        try self.init(pem: text, file: file)
    }

    /// The curve.
    package var curve: SignatureCurve {
        key.curve
    }

    /// The key in PEM (PKCS#8); secret.
    package func pem() throws -> String {
        try key.pem()
    }

    /// The public half.
    package func publicKey() throws -> SignaturePublicKey {
        SignaturePublicKey(key: try key.publicKey())
    }

    /// Signs a text; DER, different each time.
    package func signature(for text: SignedText) throws -> [UInt8] {
        try signature(digest: SHA256.digest(of: text.utf8).bytes)
    }

    /// Signs bytes; DER, different each time.
    ///
    /// For a harness that joins the values of a postback itself, so that it does not inherit a mistake in how they are
    /// read.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] {
        try signature(digest: SHA256.digest(of: bytes).bytes)
    }

    /// Signs a SHA-256 digest; DER, different each time.
    func signature(digest: [UInt8]) throws -> [UInt8] {
        try key.sign(digest: digest)
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
        guard let signature = ConcatenatedSignature.concatenated(try key.sign(digest: SHA256.digest(of: bytes).bytes))
        else {
            throw SignerError.signatureDoesNotVerify
        }
        return signature
    }
}
