package import Attribution
import Foundation
import Hashing
import StrictJSON

/// Signs impressions with one key, and verifies each signature before returning it.
package struct ImpressionSigner: Sendable {
    let privateKey: NetworkPrivateKey
    let check: OwnSignatureCheck

    /// Makes a signer.
    ///
    /// - Throws: An error if OpenSSL cannot extract the public half of the key.
    package init(_ privateKey: NetworkPrivateKey) throws {
        self.init(privateKey, check: OwnSignatureCheck(try privateKey.publicKey()))
    }

    private init(_ privateKey: NetworkPrivateKey, check: OwnSignatureCheck) {
        self.privateKey = privateKey
        self.check = check
    }

    /// The same signer with another way to verify its signatures.
    func checking(with check: OwnSignatureCheck) -> ImpressionSigner {
        ImpressionSigner(privateKey, check: check)
    }

    /// Signs an impression.
    ///
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0, or
    ///   ``SignerError/signatureDoesNotVerify`` after a hardware fault.
    package func sign(_ impression: SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression {
        guard privateKey.curve == .p256 || impression.version <= .v2_0 else {
            throw KeyProblem.wrongCurve(privateKey.curve, version: impression.version)
        }
        let signature = try verifiedSignature(for: impression.signedText.utf8)
        return SignedSKAdNetworkImpression(impression: impression, attributionSignature: Base64.encode(signature))
    }

    /// Signs an AdAttributionKit impression as a compact JWS, ES256.
    ///
    /// - Parameter impression: The impression to sign.
    /// - Returns: The impression with its verified JWS.
    /// - Throws: ``KeyProblem/wrongCurveForJWS(_:)`` for a P-192 key, or
    ///   ``SignerError/signatureDoesNotVerify`` after a hardware fault.
    package func sign(_ impression: AdAttributionKitImpression) throws -> SignedAdAttributionKitImpression {
        guard privateKey.curve == .p256 else {
            throw KeyProblem.wrongCurveForJWS(privateKey.curve)
        }
        let input = impression.signingInput
        let der = try verifiedSignature(for: Array(input.utf8))
        // Converted back from r‖s, it must be the signature that was verified.
        guard let raw = ConcatenatedSignature.concatenated(der), ConcatenatedSignature.der(raw) == der else {
            throw SignerError.signatureDoesNotVerify
        }
        return SignedAdAttributionKitImpression(impression: impression, compactJWS: input + "." + Base64URL.encode(raw))
    }

    /// The verified DER signature over a message.
    private func verifiedSignature(for message: [UInt8]) throws -> [UInt8] {
        let digest = SHA256.digest(of: message).bytes
        let signature = try privateKey.signature(digest: digest)
        guard check.verifies(signature, digest: digest) else {
            throw SignerError.signatureDoesNotVerify
        }
        return signature
    }
}
