package import Attribution
import Foundation
import Hashing
import StrictJSON

/// Signs impressions with one key and verifies each signature with the public half before it leaves.
package struct ImpressionSigner: Sendable {
    private let privateKey: NetworkPrivateKey
    let check: OwnSignatureCheck

    /// Makes a signer.
    ///
    /// - Throws: When OpenSSL cannot take the public half out of the key.
    package init(_ privateKey: NetworkPrivateKey) throws {
        self.init(privateKey, check: OwnSignatureCheck(try privateKey.publicKey()))
    }

    private init(_ privateKey: NetworkPrivateKey, check: OwnSignatureCheck) {
        self.privateKey = privateKey
        self.check = check
    }

    /// The same signer with another way to verify what it signs.
    func checking(with check: OwnSignatureCheck) -> ImpressionSigner {
        ImpressionSigner(privateKey, check: check)
    }

    /// Signs an impression.
    ///
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0, or
    ///   ``SignerError/signatureDoesNotVerify`` when the machine computed wrongly.
    package func sign(_ impression: SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression {
        guard privateKey.curve == .p256 || impression.version <= .v2_0 else {
            throw KeyProblem.wrongCurve(privateKey.curve, version: impression.version)
        }
        let signature = try verifiedSignature(for: impression.signedText.utf8)
        return SignedSKAdNetworkImpression(impression: impression, attributionSignature: Base64.encode(signature))
    }

    /// Signs an AdAttributionKit impression as a compact JWS, ES256.
    ///
    /// - Parameter impression: What is signed.
    /// - Returns: The impression with its JWS, which was verified.
    /// - Throws: ``KeyProblem/wrongCurveForJWS(_:)`` for a P-192 key, or
    ///   ``SignerError/signatureDoesNotVerify`` when the machine computed wrongly.
    package func sign(_ impression: AdAttributionKitImpression) throws -> SignedAdAttributionKitImpression {
        guard privateKey.curve == .p256 else {
            throw KeyProblem.wrongCurveForJWS(privateKey.curve)
        }
        let input = impression.signingInput
        let der = try verifiedSignature(for: Array(input.utf8))
        // A JWS carries r‖s; turned back, it must be the signature that was verified.
        guard let raw = ConcatenatedSignature.concatenated(der), ConcatenatedSignature.der(raw) == der else {
            throw SignerError.signatureDoesNotVerify
        }
        return SignedAdAttributionKitImpression(impression: impression, compactJWS: input + "." + Base64URL.encode(raw))
    }

    /// The DER signature over a message, verified.
    private func verifiedSignature(for message: [UInt8]) throws -> [UInt8] {
        let digest = SHA256.digest(of: message).bytes
        let signature = try privateKey.signature(digest: digest)
        guard check.verifies(signature, digest: digest) else {
            throw SignerError.signatureDoesNotVerify
        }
        return signature
    }
}
