package import Attribution
import FixedKeyECDSA
import Platform
import StrictJSON

/// Signs a SHA-256 digest with a private key: a DER `ECDSA-Sig-Value`, different each time.
///
/// It need not be reliable, because every signature is verified before it leaves.
package typealias SignDigest = @Sendable (NetworkPrivateKey, _ digest: [UInt8]) throws -> [UInt8]

/// Signs impressions with one key, and verifies each signature before returning it.
package struct ImpressionSigner: Sendable {
    let key: SigningKey
    let check: OwnSignatureCheck

    /// Makes a signer.
    ///
    /// - Throws: An error if OpenSSL cannot extract the public half of the key.
    package init(_ privateKey: NetworkPrivateKey) throws {
        try self.init(.own(privateKey))
    }

    /// Makes a signer with any key.
    ///
    /// - Throws: An error if OpenSSL cannot extract the public half of a private key.
    package init(_ key: SigningKey) throws {
        switch key {
        case .own(let privateKey): self.init(key, check: OwnSignatureCheck(try privateKey.publicKey()))
        case .external(let external): self.init(key, check: OwnSignatureCheck(external.publicKey))
        }
    }

    private init(_ key: SigningKey, check: OwnSignatureCheck) {
        self.key = key
        self.check = check
    }

    /// The same signer with another way to verify its signatures.
    func checking(with check: OwnSignatureCheck) -> ImpressionSigner {
        ImpressionSigner(key, check: check)
    }

    /// Makes tables that verify its signatures several times as fast; this takes some milliseconds.
    package mutating func prepareTables() throws(KeyTablesError) {
        if let fast = try OwnSignatureCheck.withTables([check]).first {
            self = checking(with: fast)
        }
    }

    /// Signs an impression.
    ///
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0,
    ///   ``KeyProblem/wrongCurveForJWS(_:)`` for a P-192 key and AdAttributionKit, ``ExternalSignatureNeeded``,
    ///   ``ExternalSignerError``, or ``SignerError/signatureDoesNotVerify`` after a hardware fault.
    package func sign(_ impression: Impression, with external: ExternalSignatures = [:]) throws -> SignedImpression {
        let unsigned = try UnsignedImpression(impression, self)
        let signature = try unsigned.signature(external)
        return try unsigned.signed(with: signature, isValid: check.verifies(signature, digest: unsigned.digest))
    }

    /// Signs an SKAdNetwork impression, as ``sign(_:with:)`` does.
    package func sign(_ impression: SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression {
        guard case .skAdNetwork(let signed) = try sign(.skAdNetwork(impression)) else {
            throw SignerError.signatureDoesNotVerify
        }
        return signed
    }

    /// Signs an AdAttributionKit impression as a compact JWS, ES256.
    package func sign(_ impression: AdAttributionKitImpression) throws -> SignedAdAttributionKitImpression {
        guard case .adAttributionKit(let signed) = try sign(.adAttributionKit(impression)) else {
            throw SignerError.signatureDoesNotVerify
        }
        return signed
    }
}

/// An impression to sign, with the text that is signed.
struct UnsignedImpression {
    private let impression: Impression
    private let message: [UInt8]
    /// The SHA-256 digest of the message.
    let digest: [UInt8]
    /// Signs it.
    let signer: ImpressionSigner

    /// Puts together what is signed.
    init(_ impression: Impression, _ signer: ImpressionSigner) throws(KeyProblem) {
        let curve = signer.key.curve
        switch impression {
        case .skAdNetwork(let impression):
            guard curve == .p256 || impression.version <= .v2_0 else {
                throw KeyProblem.wrongCurve(curve, version: impression.version)
            }
            message = impression.signedText.utf8
        case .adAttributionKit(let impression):
            guard curve == .p256 else {
                throw KeyProblem.wrongCurveForJWS(curve)
            }
            message = impression.signingInput
        }
        self.impression = impression
        self.signer = signer
        digest = SHA256.digest(of: message).bytes
    }

    /// Signs the digest, or takes the signature of an external signer; nobody has verified it yet.
    ///
    /// - Throws: ``ExternalSignatureNeeded``, ``ExternalSignerError``, or the error of `signDigest`.
    func signature(
        _ external: ExternalSignatures, signDigest: SignDigest = { try $0.signature(digest: $1) }
    ) throws -> [UInt8] {
        switch signer.key {
        case .own(let privateKey): try signDigest(privateKey, digest)
        case .external(let key): try external.signature(of: key, over: digest)
        }
    }

    /// The signed impression.
    ///
    /// - Throws: ``SignerError/signatureDoesNotVerify`` or ``ExternalSignerError/wrongSignature(key:)`` if it does not.
    func signed(with signature: [UInt8], isValid: Bool) throws -> SignedImpression {
        guard isValid else {
            throw signer.key.wrongSignature
        }
        switch impression {
        case .skAdNetwork(let impression):
            return .skAdNetwork(
                SignedSKAdNetworkImpression(impression: impression, attributionSignature: Base64.encode(signature)))
        case .adAttributionKit(let impression):
            guard let raw = ECDSASignature(signature, .der, on: .p256)?.raw else {
                throw signer.key.wrongSignature
            }
            var jws = message
            jws.append(UInt8(ascii: "."))
            Base64URL.append(raw, to: &jws)
            return .adAttributionKit(
                SignedAdAttributionKitImpression(
                    impression: impression, compactJWS: String(decoding: jws, as: UTF8.self)))
        }
    }
}

extension [UnsignedImpression] {
    /// Signs all impressions, and verifies their signatures together, which takes less time than one by one.
    func signed(
        with external: ExternalSignatures, signDigest: SignDigest = { try $0.signature(digest: $1) }
    ) -> [Result<SignedImpression, any Error>] {
        let signatures = map { unsigned in Result { try unsigned.signature(external, signDigest: signDigest) } }
        let made = zip(self, signatures).compactMap { unsigned, signature in
            (try? signature.get()).map { (unsigned.signer.check, $0, unsigned.digest) }
        }
        var verdicts = OwnSignatureCheck.verify(made).makeIterator()
        return zip(self, signatures).map { unsigned, signature in
            signature.flatMap { signature in
                Result { try unsigned.signed(with: signature, isValid: verdicts.next() ?? false) }
            }
        }
    }
}

/// Why a signature was made but not returned.
package enum SignerError: CodedError, Hashable, Sendable, CustomStringConvertible {
    /// The fresh signature does not verify, probably because of a hardware fault.
    case signatureDoesNotVerify

    /// What happened.
    package var description: String {
        "the new signature does not verify with the key's public half and was discarded"
    }

    package var code: ErrorCode { .signingFailed }
    package var hint: String? { "send it again; if it happens twice, the hardware is probably faulty" }
}
