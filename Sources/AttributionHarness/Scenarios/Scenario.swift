package import Attribution

/// A stretch of time of an ad network: who advertises what with whom, how people behave, and what goes wrong.
///
/// Days are counted from 1, the first day of the scenario.
package struct Scenario: Hashable, Sendable {
    package var name: String
    package var about: String
    package var days: Int
    /// How many days the campaigns of the first day have been running before it.
    package var runningSince: Int
    /// The networks, ours and their rivals.
    package var networks: [Network]
    package var apps: [App]
    /// The apps and sites that show ads.
    package var sources: [Source]
    /// How people behave, by name.
    package var behaviors: [Behavior]
    package var campaigns: [Campaign]
    /// How large crowds must be.
    package var crowds: CrowdThresholds
    package var faults: [FaultWave]
    /// When our server is down.
    package var outages: [Outage]

    /// An ad network.
    package struct Network: Hashable, Sendable {
        package var id: String
        /// Its id with AdAttributionKit; nil for the same.
        package var adAttributionKitID: String?

        /// Apple's own network, which sends postbacks up to 3.0 and of AdAttributionKit.
        package static let appleAds = "com.apple.ads"

        /// The id in a postback of a version.
        package func id(in version: AttributionVersion) -> String {
            version == .adAttributionKit ? adAttributionKitID ?? id : id
        }
    }

    /// An advertised app.
    package struct App: Hashable, Sendable {
        /// Its name in the scenario.
        package var name: String
        /// Its App Store id.
        package var id: Int64
        /// The share of installs by people who had it before.
        package var redownloads: Double
        /// The share of installs that are launched.
        package var launches: Double
        /// Where its people are: the weight of each country.
        package var countries: [Weighted<String>]
        /// The marketplaces it is installed from: the weight of each.
        package var marketplaces: [Weighted<String>]
        /// Whether several conversions may go on at once (AdAttributionKit).
        package var overlapsReengagements: Bool
        /// How it changes the rules of attribution (AdAttributionKit).
        package var rules: AppAttributionRules
        /// Where it asks devices to send copies of its winning postbacks.
        package var copies: DeveloperCopies
    }

    /// What shows ads.
    package struct Source: Hashable, Sendable {
        /// Its name in the scenario.
        package var name: String
        /// The App Store id; nil for a site.
        package var app: Int64?
        /// The domain; nil for an app.
        package var domain: String?
        /// How many views of ads an hour somebody gets there.
        package var viewsAnHour: Double
    }

    /// How people behave, and what the app tells of it.
    package struct Behavior: Hashable, Sendable {
        /// Its name in the scenario.
        package var name: String
        /// The share of installs for which the app sets a conversion value.
        package var setsValue: Double
        /// How often it updates the value in the first window, on average.
        package var updates: Double
        /// The share of installs whose people come back in the second window, and of these in the third.
        package var comesBack: Double
        /// The share of updates that lock their window.
        package var locks: Double
        /// The share of installs that are followed by a re-engagement (AdAttributionKit).
        package var reengages: Double
        /// The share of these re-engagements that are followed by another one.
        package var reengagesAgain: Double
        /// What values the app sets, from which day on.
        package var values: [DatedValues]
    }

    /// The conversion values an app sets from a day on.
    package struct DatedValues: Hashable, Sendable {
        package var from: Int
        /// The least value.
        package var lowest: Int
        /// The greatest value.
        package var highest: Int
    }

    /// The versions of people's devices from a day on.
    package struct DatedVersions: Hashable, Sendable {
        package var from: Int
        /// The weight of each version.
        package var shares: [Weighted<AttributionVersion>]
    }

    /// A campaign of one network for one app.
    package struct Campaign: Hashable, Sendable {
        /// Its name in the scenario.
        package var name: String
        /// The network, as an index.
        package var network: Int
        /// The app, as an index.
        package var app: Int
        /// `campaign-id`, up to 3.0.
        package var campaignID: Int
        /// The source identifier, from 4.0 on: four digits.
        package var sourceIdentifier: Int
        /// Installs a day of people who got one of its ads.
        package var installs: Double
        /// The factor of each day of the week, from Monday on.
        package var weekdays: [Double]
        /// The factor by which it grows each week.
        package var growth: Double
        package var from: Int
        package var through: Int
        /// Who shows its ads: the weight of each, as an index.
        package var sources: [Weighted<Int>]
        /// The share of its ads that are view-through.
        package var views: Double
        /// How many ads of other networks people got as well, on average.
        package var rivals: Double
        /// How people behave, as an index.
        package var behavior: Int
        /// The versions of their devices.
        package var versions: [DatedVersions]
        /// What its ads cost; nil where nobody says it.
        package var costs: AdPrice?

        /// The weight of each version on a day; before the first day that of the first.
        func shares(onDay day: Int) -> [Weighted<AttributionVersion>] {
            (versions.last { $0.from <= max(day, 1) } ?? versions.first)?.shares ?? []
        }
    }

    /// What the ads of a campaign cost.
    package struct AdPrice: Hashable, Sendable {
        /// How many ads there are for each install.
        package var ads: Double
        /// What a thousand of them cost.
        package var perThousand: Double
        /// In which currency.
        package var currency: CurrencyCode
    }

    /// When our server is down.
    package struct Outage: Hashable, Sendable {
        /// The day on which it goes down, at its first minute.
        package var from: Int
        /// For how many days.
        package var days: Double

        package init(from: Int, days: Double) {
            self.from = from
            self.days = days
        }

        /// The time in milliseconds since the scenario began.
        package var range: Range<Int64> {
            let start = Int64(from - 1) * AppleRules.day
            return start..<start + Int64(days * Double(AppleRules.day))
        }
    }
}

/// A choice and how often it is taken, compared with the others.
package struct Weighted<Choice: Hashable & Sendable>: Hashable, Sendable {
    package var choice: Choice
    package var weight: Double

    package init(_ choice: Choice, _ weight: Double) {
        self.choice = choice
        self.weight = weight
    }
}

/// A fault that befalls a share of the postbacks for some days.
package struct FaultWave: Hashable, Sendable {
    package var fault: Fault
    /// The share of the postbacks it befalls, 0…1.
    package var share: Double
    package var from: Int
    package var through: Int
    /// The campaign it befalls, as an index; nil for all.
    package var campaign: Int?

    package init(_ fault: Fault, share: Double, from: Int = 1, through: Int = .max, campaign: Int? = nil) {
        self.fault = fault
        self.share = share
        self.from = from
        self.through = through
        self.campaign = campaign
    }

    /// Whether it befalls postbacks of a campaign on a day.
    func covers(day: Int, campaign: Int) -> Bool {
        from <= day && day <= through && (self.campaign ?? campaign) == campaign
    }
}

/// Where an app asks devices to send copies of its winning postbacks, as its Info.plist says.
///
/// - SeeAlso: [Configuring an advertised app](https://developer.apple.com/documentation/storekit/configuring-an-advertised-app)
/// - SeeAlso: [AttributionCopyEndpoint](https://developer.apple.com/documentation/bundleresources/information-property-list/attributioncopyendpoint)
package struct DeveloperCopies: Hashable, Sendable {
    /// A developer's endpoint.
    package enum Endpoint: String, CaseIterable, Hashable, Sendable {
        /// It is our server, at Apple's well-known paths.
        case ours
        /// It is a server of somebody else: copies are sent, and we never see them.
        case elsewhere
    }

    /// `NSAdvertisingAttributionReportEndpoint`; nil for an app that asks for no copies.
    package var skAdNetwork: Endpoint?
    /// `AttributionCopyEndpoint`; nil for an app that asks for no copies.
    package var adAttributionKit: Endpoint?
    /// `EligibleForAdAttributionKitReengagementPostbackCopies`: whether copies of re-engagements are sent, too.
    package var includesReengagements: Bool

    /// Asks for copies; for none unless told otherwise.
    package init(skAdNetwork: Endpoint? = nil, adAttributionKit: Endpoint? = nil, includesReengagements: Bool = false) {
        self.skAdNetwork = skAdNetwork
        self.adAttributionKit = adAttributionKit
        self.includesReengagements = includesReengagements
    }

    /// Whether our server gets a copy of a postback: of those that won, from 2.0 on.
    package func reachUs(of postback: SimulatedPostback) -> Bool {
        guard postback.flags.contains(.didWin) else {
            return false
        }
        guard postback.version == .adAttributionKit else {
            return skAdNetwork == .ours && postback.version >= .v2_0
        }
        return adAttributionKit == .ours && (includesReengagements || postback.kind != .reengagement)
    }
}
