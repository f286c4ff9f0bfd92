package import StrictJSON

/// An AdAttributionKit impression with the signature its network made.
package struct SignedAdAttributionKitImpression: Hashable, Sendable {
    /// What was signed.
    package let impression: AdAttributionKitImpression
    /// The compact JWS (RFC 7515), for Apple's `AppImpression(compactJWS:)`.
    package let compactJWS: String

    /// Joins an impression and its JWS; only the signer does, after it has verified it.
    package init(impression: AdAttributionKitImpression, compactJWS: String) {
        self.impression = impression
        self.compactJWS = compactJWS
    }

    /// The payload in Apple's field names, and the JWS that carries it.
    package var json: JSONText {
        .object(["impression": impression.payload, "compact-jws": .string(compactJWS)])
    }
}
