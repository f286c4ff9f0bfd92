/// What a report can be broken down and filtered by.
///
/// Every dimension of a recorded postback is a text; the empty text says that the postback carries no such value,
/// which no received value can be, for the reader refuses empty ones.
public enum ReportDimension: String, CaseIterable, Hashable, Sendable {
    /// The day of receipt, `YYYY-MM-DD` in the report's time zone.
    case day
    /// The framework.
    case framework
    /// `ad-network-id`.
    case network
    /// `app-id`, the advertised app.
    case app
    /// `campaign-id`, up to 3.0.
    case campaignID = "campaign-id"
    /// `source-identifier` as received, 4.0.
    case sourceIdentifier = "source-identifier"
    /// `source-app-id`.
    case sourceApp = "source-app"
    /// `source-domain`.
    case sourceDomain = "source-domain"
    /// `version`.
    case version
    /// `fidelity-type`.
    case fidelity
    /// `redownload`.
    case redownload
    /// `postback-sequence-index`.
    case sequenceIndex = "sequence-index"

    /// The dimensions a store keeps with each postback: all but the day, which follows from the time of receipt.
    public static let stored = allCases.filter { $0 != .day }

    /// The value of a stored dimension for a postback, empty when the postback has none.
    public func value(of postback: ReceivedPostback) -> String {
        switch self {
        case .day: ""
        case .framework: postback.framework.rawValue
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
        }
    }
}
