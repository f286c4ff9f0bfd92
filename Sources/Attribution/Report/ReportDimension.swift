/// What a report can be broken down and filtered by.
///
/// Every dimension of a recorded postback is a text; the empty text says that the postback carries no such value,
/// which no received value can be, for the reader refuses empty ones.
public enum ReportDimension: String, CaseIterable, Hashable, Sendable {
    /// The day of receipt, `YYYY-MM-DD` in the report's time zone.
    case day
    /// The framework.
    case framework
    /// `ad-network-id` or `ad-network-identifier`.
    case network
    /// `app-id` or `advertised-item-identifier`, the advertised app.
    case app
    /// `campaign-id`, up to 3.0.
    case campaignID = "campaign-id"
    /// `source-identifier` as received, 4.0 and AdAttributionKit.
    case sourceIdentifier = "source-identifier"
    /// `source-app-id` or `publisher-item-identifier`, the app that showed the ad.
    case sourceApp = "source-app"
    /// `source-domain`.
    case sourceDomain = "source-domain"
    /// `version` of SKAdNetwork.
    case version
    /// `fidelity-type`.
    case fidelity
    /// `redownload`, or the `conversion-type` that says the same.
    case redownload
    /// `postback-sequence-index`.
    case sequenceIndex = "sequence-index"
    /// `conversion-type`, AdAttributionKit.
    case conversionType = "conversion-type"
    /// `marketplace-identifier`, AdAttributionKit.
    case marketplace
    /// `country-code`; **not signed**.
    case country
    /// `ad-interaction-type`, AdAttributionKit; **not signed**.
    case interactionType = "interaction-type"

    /// The dimensions a store keeps with each postback: all but the day, which follows from the time of receipt.
    public static let stored = allCases.filter { $0 != .day }

    /// Whether Apple signs the value; whoever holds a postback can change what is not signed.
    ///
    /// 1.0 signs no `redownload`: ``Metrics/Counter/unprovenRedownloads`` counts what rests on it.
    public var isProven: Bool {
        switch self {
        case .country, .interactionType: false
        default: true
        }
    }

    /// The values of all stored dimensions for a postback, in the order of ``stored``; empty where it has none.
    public static func storedValues(of postback: ReceivedPostback) -> [String] {
        switch postback {
        case .skAdNetwork(let postback): stored.map { $0.value(of: postback) }
        case .adAttributionKit(let postback): stored.map { $0.value(of: postback) }
        }
    }

    /// The value of a stored dimension for a postback, empty when the postback has none.
    public func value(of postback: ReceivedPostback) -> String {
        switch postback {
        case .skAdNetwork(let postback): value(of: postback)
        case .adAttributionKit(let postback): value(of: postback)
        }
    }

    private func value(of postback: SKAdNetworkPostback) -> String {
        switch self {
        case .framework: PostbackFramework.skAdNetwork.rawValue
        case .network: postback.adNetworkID.text
        case .app: postback.appID.description
        case .campaignID: if case .campaignID(let number) = postback.campaign { String(number) } else { "" }
        case .sourceIdentifier:
            if case .sourceIdentifier(let identifier) = postback.campaign { identifier.digits } else { "" }
        case .sourceApp: if case .app(let id) = postback.source { id.description } else { "" }
        case .sourceDomain: if case .domain(let domain) = postback.source { domain.text } else { "" }
        case .version: postback.version.rawValue
        case .fidelity: postback.fidelityType.map { String($0.rawValue) } ?? ""
        case .redownload: postback.isRedownload.map { $0 ? "true" : "false" } ?? ""
        case .sequenceIndex: postback.sequenceIndex.map { String($0) } ?? ""
        case .country: postback.countryCode?.text ?? ""
        case .day, .conversionType, .marketplace, .interactionType: ""
        }
    }

    private func value(of postback: AdAttributionKitPostback) -> String {
        switch self {
        case .framework: PostbackFramework.adAttributionKit.rawValue
        case .network: postback.adNetworkID.text
        case .app: postback.advertisedItemID.description
        case .sourceIdentifier: postback.sourceIdentifier.digits
        case .sourceApp: postback.publisherItemID?.description ?? ""
        case .redownload: postback.conversionType.isRedownload.map { $0 ? "true" : "false" } ?? ""
        case .sequenceIndex: String(postback.sequenceIndex)
        case .conversionType: postback.conversionType.rawValue
        case .marketplace: postback.marketplaceIdentifier?.text ?? ""
        case .country: postback.countryCode?.text ?? ""
        case .interactionType: postback.adInteractionType?.rawValue ?? ""
        case .day, .campaignID, .sourceDomain, .version, .fidelity: ""
        }
    }
}
