package import Attribution
import Foundation
import Hashing
import StrictJSON

/// Signs impressions with one key, and verifies each signature before returning it.
package struct ImpressionSigner: Sendable {
    /// One object, because every impression that waits for its signature has its signer.
    private final class Parts: Sendable {
        let key: SigningKey
        let check: OwnSignatureCheck

        init(_ key: SigningKey, _ check: OwnSignatureCheck) {
            self.key = key
            self.check = check
        }
    }

    private let parts: Parts

    var key: SigningKey {
        parts.key
    }

    var check: OwnSignatureCheck {
        parts.check
    }

    /// Makes a signer.
    ///
    /// - Throws: An error if OpenSSL cannot extract the public half of the key.
    package init(_ privateKey: NetworkPrivateKey) throws {
        self.init(.own(privateKey), check: OwnSignatureCheck(try privateKey.publicKey()))
    }

    /// Makes a signer with any key.
    ///
    /// - Throws: An error if OpenSSL cannot extract the public half of a private key.
    package init(_ key: SigningKey) throws {
        switch key {
        case .own(let privateKey): try self.init(privateKey)
        case .external(let external): self.init(key, check: OwnSignatureCheck(external.publicKey))
        }
    }

    private init(_ key: SigningKey, check: OwnSignatureCheck) {
        parts = Parts(key, check)
    }

    /// The same for two that sign with the same key in the same way.
    enum Identity: Hashable {
        /// A key in this process, by its fingerprint.
        case own(String)
        case external(ExternalKey)
    }

    var identity: Identity {
        switch key {
        case .own: .own(check.fingerprint)
        case .external(let key): .external(key)
        }
    }

    /// The same signer with another way to verify its signatures.
    func checking(with check: OwnSignatureCheck) -> ImpressionSigner {
        ImpressionSigner(key, check: check)
    }

    /// Makes tables that verify its signatures several times as fast; this takes some milliseconds.
    ///
    /// - Throws: ``KeyTablesError``; OpenSSL then continues to verify.
    package mutating func prepareTables() throws(KeyTablesError) {
        if let fast = try OwnSignatureCheck.withTables([check]).first {
            self = checking(with: fast)
        }
    }

    /// Signs an impression.
    ///
    /// - Parameters:
    ///   - impression: The impression to sign.
    ///   - external: What an external signer answered.
    /// - Returns: The impression with its verified signature.
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0,
    ///   ``ExternalSignatureNeeded``, ``ExternalSignerError``, or ``SignerError/signatureDoesNotVerify`` after a
    ///   hardware fault.
    package func sign(
        _ impression: SKAdNetworkImpression, with external: ExternalSignatures = [:]
    ) throws -> SignedSKAdNetworkImpression {
        var hash = SHA256()
        let unsigned = try UnsignedImpression(impression, self, &hash)
        let signature = try signature(over: unsigned.digest, external)
        return try unsigned.signed(with: signature, isValid: check.verifies(signature, digest: unsigned.digest))
    }

    /// Signs an AdAttributionKit impression as a compact JWS, ES256.
    ///
    /// - Parameters:
    ///   - impression: The impression to sign.
    ///   - external: What an external signer answered.
    /// - Returns: The impression with its verified JWS.
    /// - Throws: ``KeyProblem/wrongCurveForJWS(_:)`` for a P-192 key, and as ``sign(_:with:)`` of SKAdNetwork.
    package func sign(
        _ impression: AdAttributionKitImpression, with external: ExternalSignatures = [:]
    ) throws -> SignedAdAttributionKitImpression {
        var hash = SHA256()
        let unsigned = try UnsignedImpression(impression, self, &hash)
        let signature = try signature(over: unsigned.digest, external)
        return try unsigned.signed(with: signature, isValid: check.verifies(signature, digest: unsigned.digest))
    }

    /// The signature of an impression that an external signer has to make.
    ///
    /// - Parameter impression: The impression.
    /// - Returns: The request; nil if the key is in this process.
    package func signatureRequest(for impression: Impression) -> SignatureRequest? {
        guard case .external(let key) = key else {
            return nil
        }
        let message =
            switch impression {
            case .skAdNetwork(let impression): impression.signedText.utf8
            case .adAttributionKit(let impression): impression.signingInput
            }
        return SignatureRequest(key: key, digest: SHA256.digest(of: message).bytes)
    }

    private func signature(over digest: [UInt8], _ external: ExternalSignatures) throws -> [UInt8] {
        switch key {
        case .own(let privateKey): try privateKey.signature(digest: digest)
        case .external(let key): try external.signature(of: key, over: digest)
        }
    }
}
