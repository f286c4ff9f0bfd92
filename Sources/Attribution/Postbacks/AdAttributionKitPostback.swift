package import StrictJSON

/// A postback of AdAttributionKit that was read strictly; nothing is proved yet.
///
/// - SeeAlso: [Identifying the parameters in a
///   postback](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package struct AdAttributionKitPostback: Sendable {
    /// The body, read.
    let object: JSONObject
    /// The signed payload, read.
    let payload: JSONObject
    /// `jws-string`, taken apart.
    package let jws: CompactJWS
    /// `kid`: whose key must verify it.
    package let keyID: PostbackKeyID
    /// `postback-identifier`, by which repeats are discarded; signed.
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

    /// The fields of the body beside `jws-string`, in order; **not signed**; made each time.
    package var unprovenFields: [JSONField] {
        object.fields.filter { $0.name != PostbackField.jwsString.rawValue }
    }

    /// Every field of the signed payload, in order; those unknown here too; made each time.
    package var signedFields: [JSONField] {
        payload.fields
    }

    /// Appends everything it says beside its signature; a name on both sides stays two statements.
    func appendStatements(to output: inout [UInt8]) {
        payload.appendCanonicalBytes(to: &output)
        object.appendCanonicalBytes(except: "jws-string", to: &output)
    }
}

/// Everything is read from the body, so the body alone is compared.
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
