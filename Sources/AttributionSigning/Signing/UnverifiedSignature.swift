import Attribution
import StrictJSON

/// A new signature over an impression that may not leave yet: a fault while signing can reveal the key.
struct UnverifiedSignature<Impression> {
    fileprivate let impression: Impression
    fileprivate let message: [UInt8]
    /// The SHA-256 digest of the message.
    let digest: [UInt8]
    /// The signature, DER.
    let signature: [UInt8]
    /// Verifies it.
    let check: OwnSignatureCheck
    /// The external signer's name of its key; nil for a key in this process.
    private let externalKey: String?

    init(
        impression: Impression, message: [UInt8], digest: [UInt8], signature: [UInt8], check: OwnSignatureCheck,
        externalKey: String?
    ) {
        self.impression = impression
        self.message = message
        self.digest = digest
        self.signature = signature
        self.check = check
        self.externalKey = externalKey
    }

    /// Whether it verifies, checked by itself.
    var isValid: Bool {
        check.verifies(signature, digest: digest)
    }

    /// What it means if it does not verify.
    fileprivate var failure: any Error {
        guard let externalKey else {
            return SignerError.signatureDoesNotVerify
        }
        return ExternalSignerError.wrongSignature(key: externalKey)
    }
}

extension UnverifiedSignature<SKAdNetworkImpression> {
    /// The signed impression.
    ///
    /// - Parameter isValid: Whether the signature verifies.
    /// - Returns: The impression with its signature.
    /// - Throws: ``SignerError/signatureDoesNotVerify`` or ``ExternalSignerError/wrongSignature(key:)`` if it does not.
    func signed(isValid: Bool) throws -> SignedSKAdNetworkImpression {
        guard isValid else {
            throw failure
        }
        return SignedSKAdNetworkImpression(impression: impression, attributionSignature: Base64.encode(signature))
    }
}

extension UnverifiedSignature<AdAttributionKitImpression> {
    /// The signed impression.
    ///
    /// - Parameter isValid: Whether the signature verifies.
    /// - Returns: The impression with its signature.
    /// - Throws: ``SignerError/signatureDoesNotVerify`` or ``ExternalSignerError/wrongSignature(key:)`` if it does not.
    func signed(isValid: Bool) throws -> SignedAdAttributionKitImpression {
        // Converted back from r‖s, it must be the signature that was verified.
        guard isValid, let raw = ConcatenatedSignature.concatenated(signature),
            ConcatenatedSignature.der(raw) == signature
        else {
            throw failure
        }
        let input = String(decoding: message, as: UTF8.self)
        return SignedAdAttributionKitImpression(
            impression: impression, compactJWS: input + "." + Base64URL.encode(raw))
    }
}
