/// The reports that have a name.
package enum StandardReportName: String, CaseIterable, Hashable, Sendable {
    /// Whether all is well, and the most important figures of every other report.
    case overview
    /// Installs by campaign.
    case campaigns
    /// Installs by the app or the website that showed the ad.
    case sources
    /// Conversion values, one row each.
    case conversions
    /// The three conversion windows, and how much of each can have arrived yet.
    case windows
    /// What was won and lost.
    case wins
    /// New installs and redownloads.
    case redownloads
    /// Re-engagements of AdAttributionKit.
    case reEngagements = "re-engagements"
    /// The data tiers that Apple may have chosen.
    case tiers
    /// What conversion values are worth, by the schemas of their apps.
    case revenue
    /// Installs with the ads that were signed, and what they cost.
    case costs
    /// What became of every delivery.
    case delivery
}

extension StandardReportName {
    /// The heading of the report.
    package var title: String {
        switch self {
        case .overview: "Overview"
        case .campaigns: "Campaigns"
        case .sources: "Sources"
        case .conversions: "Conversion values"
        case .windows: "Conversion windows"
        case .wins: "Wins and losses"
        case .redownloads: "Redownloads"
        case .reEngagements: "Re-engagements"
        case .tiers: "Data tiers"
        case .revenue: "Revenue"
        case .costs: "Costs"
        case .delivery: "Deliveries"
        }
    }

    /// What the report shows, in one line.
    package var meaning: String {
        switch self {
        case .overview: "Whether all is well, and the most important figures of the other reports."
        case .campaigns: "Installs of each campaign of an app, and their quality."
        case .sources: "Installs by the app or the website that showed the ad."
        case .conversions: "Conversion values as received, one row each; no value is not the value 0."
        case .windows: "The first, second and third postback of installs, and how many can have arrived yet."
        case .wins: "Ads that were credited with the install, and ads that were not; only ad networks get both."
        case .redownloads: "Installs by people who never had the app, and by people who had it before."
        case .reEngagements: "People who had the app and came back through an ad, AdAttributionKit alone."
        case .tiers: "The data tier that Apple chose for each postback, as bounds: postbacks do not name it."
        case .revenue: "What conversion values are worth by the schemas of their apps, as bounds in each currency."
        case .costs: "Installs per thousand ads signed, and what an install cost, in each currency."
        case .delivery: "What became of every delivery: recorded, duplicate, conflict or quarantined, and why."
        }
    }
}
