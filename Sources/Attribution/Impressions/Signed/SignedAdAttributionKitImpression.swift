package import StrictJSON

/// An AdAttributionKit impression with its network's signature.
package struct SignedAdAttributionKitImpression: Hashable, Sendable {
    /// The impression.
    package let impression: AdAttributionKitImpression
    /// The compact JWS (RFC 7515), for Apple's `AppImpression(compactJWS:)`.
    package let compactJWS: String

    /// Makes a signed impression; only the signer does, after verifying the signature.
    package init(impression: AdAttributionKitImpression, compactJWS: String) {
        self.impression = impression
        self.compactJWS = compactJWS
    }

    /// Writes the payload with Apple's field names, and the JWS.
    package func write(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    func writeMembers(to json: inout JSONWriter) {
        json.name("impression")
        impression.writePayload(to: &json)
        json.member("compact-jws", compactJWS)
    }
}
