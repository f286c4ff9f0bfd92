public import Attribution
import Foundation

/// Signs impressions with one key and verifies each signature with the public half before it leaves.
public struct ImpressionSigner: Sendable {
    private let privateKey: NetworkPrivateKey
    private let publicKey: SignaturePublicKey

    /// Makes a signer.
    ///
    /// - Throws: When OpenSSL cannot take the public half out of the key.
    public init(_ privateKey: NetworkPrivateKey) throws {
        self.privateKey = privateKey
        publicKey = try privateKey.publicKey()
    }

    /// Signs an impression.
    ///
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0, or
    ///   ``SignerError/signatureDoesNotVerify`` when the machine computed wrongly.
    public func sign(_ impression: Impression) throws -> SignedImpression {
        guard privateKey.curve == .p256 || impression.version <= .v2_0 else {
            throw KeyProblem.wrongCurve(privateKey.curve, version: impression.version)
        }
        let text = impression.signedText
        let signature = try privateKey.signature(for: text)
        guard publicKey.verifies(signature, for: text) else {
            throw SignerError.signatureDoesNotVerify
        }
        return SignedImpression(impression: impression, attributionSignature: Base64.encode(signature))
    }
}
