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

    /// Makes tables that verify its signatures three times as fast; this takes some milliseconds.
    ///
    /// - Throws: ``KeyTablesError``; OpenSSL then continues to verify.
    package mutating func prepareTables() throws(KeyTablesError) {
        if let fast = try OwnSignatureCheck.withTables([check]).first {
            self = checking(with: fast)
        }
    }

    /// Signs an impression.
    ///
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0, or
    ///   ``SignerError/signatureDoesNotVerify`` after a hardware fault.
    package func sign(_ impression: SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression {
        let new = try unverified(impression)
        return try new.signed(isValid: new.isValid)
    }

    /// Signs an AdAttributionKit impression as a compact JWS, ES256.
    ///
    /// - Parameter impression: The impression to sign.
    /// - Returns: The impression with its verified JWS.
    /// - Throws: ``KeyProblem/wrongCurveForJWS(_:)`` for a P-192 key, or
    ///   ``SignerError/signatureDoesNotVerify`` after a hardware fault.
    package func sign(_ impression: AdAttributionKitImpression) throws -> SignedAdAttributionKitImpression {
        let new = try unverified(impression)
        return try new.signed(isValid: new.isValid)
    }

    /// Signs an impression; the signature must be verified before it leaves.
    func unverified(
        _ impression: SKAdNetworkImpression, with digestSigner: (any DigestSigner)? = nil
    ) throws -> UnverifiedSignature<SKAdNetworkImpression> {
        guard privateKey.curve == .p256 || impression.version <= .v2_0 else {
            throw KeyProblem.wrongCurve(privateKey.curve, version: impression.version)
        }
        return try unverified(impression, over: impression.signedText.utf8, with: digestSigner)
    }

    /// Signs an AdAttributionKit impression; the signature must be verified before it leaves.
    func unverified(
        _ impression: AdAttributionKitImpression, with digestSigner: (any DigestSigner)? = nil
    ) throws -> UnverifiedSignature<AdAttributionKitImpression> {
        guard privateKey.curve == .p256 else {
            throw KeyProblem.wrongCurveForJWS(privateKey.curve)
        }
        return try unverified(impression, over: Array(impression.signingInput.utf8), with: digestSigner)
    }

    private func unverified<Impression>(
        _ impression: Impression, over message: [UInt8], with digestSigner: (any DigestSigner)?
    ) throws -> UnverifiedSignature<Impression> {
        let digest = SHA256.digest(of: message).bytes
        return UnverifiedSignature(
            impression: impression, message: message, digest: digest,
            signature: try digestSigner?.signature(digest: digest) ?? privateKey.signature(digest: digest), check: check
        )
    }
}
