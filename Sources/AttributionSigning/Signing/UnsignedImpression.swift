import Attribution
import Hashing
import StrictJSON

/// An impression to sign, with the text that is signed.
struct UnsignedImpression<Impression> {
    private let impression: Impression
    private let message: [UInt8]
    /// The SHA-256 digest of the message.
    let digest: [UInt8]
    /// Signs it.
    let signer: ImpressionSigner

    private init(_ impression: Impression, over message: [UInt8], _ signer: ImpressionSigner, _ hash: inout SHA256) {
        self.impression = impression
        self.message = message
        self.signer = signer
        hash.update(message)
        digest = hash.finish().bytes
    }
}

extension UnsignedImpression<SKAdNetworkImpression> {
    /// Joins the values to sign.
    ///
    /// - Throws: ``KeyProblem/wrongCurve(_:version:)`` for a P-192 key and a version after 2.0.
    init(
        _ impression: SKAdNetworkImpression, _ signer: ImpressionSigner, _ hash: inout SHA256
    ) throws(KeyProblem) {
        let curve = signer.key.curve
        guard curve == .p256 || impression.version <= .v2_0 else {
            throw KeyProblem.wrongCurve(curve, version: impression.version)
        }
        self.init(impression, over: impression.signedText.utf8, signer, &hash)
    }

    /// The signed impression.
    ///
    /// - Parameters:
    ///   - signature: The signature, DER.
    ///   - isValid: Whether it verifies: a fault while signing can reveal the key.
    /// - Returns: The impression with its signature.
    /// - Throws: ``SignerError/signatureDoesNotVerify`` or ``ExternalSignerError/wrongSignature(key:)`` if it does not.
    func signed(with signature: [UInt8], isValid: Bool) throws -> SignedSKAdNetworkImpression {
        guard isValid else {
            throw signer.key.wrongSignature
        }
        return SignedSKAdNetworkImpression(impression: impression, attributionSignature: Base64.encode(signature))
    }
}

extension UnsignedImpression<AdAttributionKitImpression> {
    /// Joins header and payload.
    ///
    /// - Throws: ``KeyProblem/wrongCurveForJWS(_:)`` for a P-192 key.
    init(
        _ impression: AdAttributionKitImpression, _ signer: ImpressionSigner, _ hash: inout SHA256
    ) throws(KeyProblem) {
        guard signer.key.curve == .p256 else {
            throw KeyProblem.wrongCurveForJWS(signer.key.curve)
        }
        self.init(impression, over: impression.signingInput, signer, &hash)
    }

    /// The signed impression.
    ///
    /// - Parameters:
    ///   - signature: The signature, DER.
    ///   - isValid: Whether it verifies: a fault while signing can reveal the key.
    /// - Returns: The impression with its JWS.
    /// - Throws: ``SignerError/signatureDoesNotVerify`` or ``ExternalSignerError/wrongSignature(key:)`` if it does not.
    func signed(with signature: [UInt8], isValid: Bool) throws -> SignedAdAttributionKitImpression {
        // Converted back from r‖s, it must be the signature that was verified.
        guard isValid, let raw = ConcatenatedSignature.concatenated(signature),
            ConcatenatedSignature.der(raw) == signature
        else {
            throw signer.key.wrongSignature
        }
        var jws = message
        jws.append(UInt8(ascii: "."))
        Base64URL.append(raw, to: &jws)
        return SignedAdAttributionKitImpression(
            impression: impression, compactJWS: String(decoding: jws, as: UTF8.self))
    }
}
