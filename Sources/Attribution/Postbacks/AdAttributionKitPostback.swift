package import StrictJSON

/// An AdAttributionKit postback, read strictly and not yet verified.
///
/// - SeeAlso: [Identifying the parameters in a
///   postback](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package struct AdAttributionKitPostback: Sendable {
    /// The body.
    let object: JSONObject
    /// The signed payload.
    let payload: JSONObject
    /// `jws-string`.
    package let jws: CompactJWS
    /// `kid`, the key that must verify it.
    package let keyID: PostbackKeyID
    /// `postback-identifier`, used to discard repeats; signed.
    package let postbackIdentifier: TransactionID
    /// `ad-network-identifier`; signed.
    package let adNetworkID: AdNetworkID
    /// `advertised-item-identifier`, 0 for an app installed by Xcode; signed.
    package let advertisedItemID: AppStoreItemID
    /// `publisher-item-identifier`, the app that showed the ad, 0 in development; signed, highest data tier only.
    package let publisherItemID: AppStoreItemID?
    /// `source-identifier`, two to four digits; signed.
    package let sourceIdentifier: SourceIdentifier
    /// `conversion-type`; signed.
    package let conversionType: ConversionType
    /// `impression-type`; signed.
    package let impressionType: ImpressionType
    /// `marketplace-identifier`, left out at the lowest data tier; signed.
    package let marketplaceIdentifier: MarketplaceIdentifier?
    /// `did-win`; signed.
    package let didWin: Bool
    /// `postback-sequence-index`, 0, 1 or 2; signed.
    package let sequenceIndex: Int64
    /// `conversion-value` or `coarse-conversion-value`; **not signed**.
    package let conversion: Conversion
    /// `ad-interaction-type`; **not signed**.
    package let adInteractionType: AdInteractionType?
    /// `country-code`, highest data tier only; **not signed**.
    package let countryCode: CountryCode?

    /// The body exactly as received.
    package var body: [UInt8] {
        object.source.bytes
    }

    /// The fields of the body except `jws-string`, in order; **not signed**.
    package var unprovenFields: [JSONField] {
        object.fields.filter { $0.name != PostbackField.jwsString.rawValue }
    }

    /// All fields of the signed payload, in order, including unknown ones.
    package var signedFields: [JSONField] {
        payload.fields
    }

    /// Appends all fields except the signature; signed and unsigned fields with the same name stay separate.
    func appendStatements(to output: inout [UInt8]) {
        payload.appendCanonicalBytes(to: &output)
        object.appendCanonicalBytes(except: "jws-string", to: &output)
    }
}

/// All properties derive from the body, so comparing bodies is enough.
extension AdAttributionKitPostback: Hashable {
    /// Whether the bodies are the same.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.body == rhs.body
    }

    /// Hashes the body.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(body)
    }
}
