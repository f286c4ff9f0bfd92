/// A dimension that reports can be grouped and filtered by.
///
/// Every value is a string. The empty string means that the postback has no such value; received values are never
/// empty.
package enum ReportDimension: String, CaseIterable, Hashable, Sendable {
    /// The hour of receipt in the report's time zone.
    case hour
    /// The day of receipt, `YYYY-MM-DD` in the report's time zone.
    case day
    /// The week of receipt, ISO 8601, `YYYY-Www` in the report's time zone.
    case week
    /// The month of receipt, `YYYY-MM` in the report's time zone.
    case month
    /// The days on which the app can have been first launched, `YYYY-MM-DD/YYYY-MM-DD`, by ``PostbackTiming``.
    case installDays = "install-days"
    /// One of ``installDays``, `YYYY-MM-DD`: an estimate.
    case installDayEstimate = "install-day-estimate"
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
    /// `redownload`, or its equivalent from `conversion-type`.
    case redownload
    /// `postback-sequence-index`.
    case sequenceIndex = "sequence-index"
    /// `conversion-type`, AdAttributionKit.
    case conversionType = "conversion-type"
    /// `impression-type`, AdAttributionKit.
    case impressionType = "impression-type"
    /// `marketplace-identifier`, AdAttributionKit.
    case marketplace
    /// `country-code`; **not signed**.
    case country
    /// `ad-interaction-type`, AdAttributionKit; **not signed**.
    case interactionType = "interaction-type"
    /// The conversion: `absent`, `null`, `invalid`, a fine value or a coarse one; **not signed**.
    case conversionValue = "conversion-value"
    /// Whose copy came first, `network` or `developer`; known from the path, not from the postback.
    case recipient

    /// The dimensions of time, derived from the time of receipt.
    package static let times: [ReportDimension] = [.hour, .day, .week, .month]

    /// Whether it is one of ``times``, or follows from them.
    package var isTime: Bool { Self.times.contains(self) || isOfInstall }

    /// Whether it is derived from the time of receipt and from what says how long the postback took.
    package var isOfInstall: Bool { self == .installDays || self == .installDayEstimate }

    /// Who vouches for the values of a dimension.
    package enum Basis: Hashable, Sendable {
        /// Apple signs them.
        case signed
        /// No one: anyone who has a postback can change them.
        case unsigned
        /// The server: they are derived from when and where it received the postback.
        case ours
    }

    /// Who vouches for the values.
    ///
    /// 1.0 does not sign `redownload`; ``Counts/Counter/unprovenRedownloads`` counts the installs affected.
    package var basis: Basis {
        switch self {
        case .hour, .day, .week, .month, .installDays, .installDayEstimate, .recipient: .ours
        case .country, .interactionType, .conversionValue: .unsigned
        case .framework, .network, .app, .campaignID, .sourceIdentifier, .sourceApp, .sourceDomain, .version, .fidelity,
            .redownload, .sequenceIndex, .conversionType, .impressionType, .marketplace:
            .signed
        }
    }

    /// The value of the dimension in a postback; empty if it has none, and for time and recipient.
    ///
    /// The store has a mapping of its own, for speed; tests check the two against each other.
    package func value(of postback: ReceivedPostback) -> String {
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
        case .conversionValue: postback.conversion.description
        case .hour, .day, .week, .month, .installDays, .installDayEstimate, .recipient, .conversionType,
            .impressionType, .marketplace, .interactionType:
            ""
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
        case .impressionType: postback.impressionType.text
        case .marketplace: postback.marketplaceIdentifier?.text ?? ""
        case .country: postback.countryCode?.text ?? ""
        case .interactionType: postback.adInteractionType?.rawValue ?? ""
        case .conversionValue: postback.conversion.description
        case .hour, .day, .week, .month, .installDays, .installDayEstimate, .recipient, .campaignID, .sourceDomain,
            .version, .fidelity:
            ""
        }
    }
}

/// A value of a dimension that sorts as reports list values: absent first, then numbers by size, then other texts.
///
/// Numbers that differ only in leading zeros are adjacent.
package struct OrderedValue: Comparable, Hashable, Sendable {
    /// The value; empty if absent.
    package let text: String
    private let number: Int64?

    package init(_ text: String) {
        self.text = text
        number = Int64(text)
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        switch (lhs.number, rhs.number) {
        case (let left?, let right?) where left != right: left < right
        case (_?, nil): !rhs.text.isEmpty
        case (nil, _?): lhs.text.isEmpty
        default: lhs.text < rhs.text
        }
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text == rhs.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
