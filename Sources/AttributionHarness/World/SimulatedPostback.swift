package import Attribution
import Foundation

/// A postback as a simulated device makes it, packed: months of traffic wait in memory for their time.
package struct SimulatedPostback: Hashable, Sendable {
    /// When its first copy reaches the server, in milliseconds since the scenario began.
    package var time: Int64
    /// When the copy for the other recipient reaches the server; nil where there is none, or none arrives.
    package var otherCopyAt: Int64?
    /// When the app was first launched, or the conversion began of which it is, in milliseconds since the scenario began.
    package var launchedAt: Int64 = 0
    /// The first half of its UUID.
    package var idHigh: UInt64
    /// The second half.
    package var idLow: UInt64
    /// The campaign, as an index.
    package var campaign: UInt16
    /// The app or site that showed the ad, as an index.
    package var source: UInt16
    package var version: AttributionVersion
    /// How many digits of the source identifier it shows.
    package var digits: UInt8 = 0
    package var sequenceIndex: UInt8 = 0
    package var conversion: SimulatedConversion = .absent
    /// The country it shows, as an index into the app's; 255 for none.
    package var country: UInt8 = .max
    /// The marketplace it shows, as an index into the app's; 255 for none.
    package var marketplace: UInt8 = .max
    package var kind: Kind = .download
    package var flags: Flags = []

    /// Makes a postback that says as little as it can.
    package init(
        time: Int64, idHigh: UInt64, idLow: UInt64, campaign: UInt16, source: UInt16, version: AttributionVersion
    ) {
        self.time = time
        self.idHigh = idHigh
        self.idLow = idLow
        self.campaign = campaign
        self.source = source
        self.version = version
    }

    /// The framework it belongs to.
    package var framework: PostbackFramework {
        version == .adAttributionKit ? .adAttributionKit : .skAdNetwork
    }

    /// What an install is, or a re-engagement.
    package enum Kind: UInt8, Sendable {
        case download, redownload, reengagement
    }

    /// Facts of one bit.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let isTap = Flags(rawValue: 1)
        package static let didWin = Flags(rawValue: 2)
        /// It names who showed the ad.
        package static let showsSource = Flags(rawValue: 4)
        /// Its UUID is in capitals.
        package static let isInCapitals = Flags(rawValue: 8)
        /// A 1.0 body that names its version.
        package static let namesVersion = Flags(rawValue: 16)
        /// A 1.0 body that says `redownload`, unsigned.
        package static let saysRedownload = Flags(rawValue: 32)
        /// Its first copy is the one for the developer.
        package static let isDeveloperFirst = Flags(rawValue: 64)
    }

    package var id: String {
        // Of version 4, and of the variant of RFC 9562.
        let halves = [idHigh & ~0xF000 | 0x4000, idLow & ~(0xC << 60) | 0x8 << 60].map(\.bigEndian)
        let text = halves.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
        return flags.contains(.isInCapitals) ? text : text.lowercased()
    }
}

/// What a simulated postback says of conversion.
package enum SimulatedConversion: Hashable, Sendable {
    /// Nothing.
    case absent
    /// `conversion-value`
    case fine(UInt8)
    /// `coarse-conversion-value`
    case coarse(CoarseConversionValue)
}

/// What a postback says, named as Apple's fields are; a second look at the rules, which owes the readers nothing.
extension SimulatedPostback {
    /// The values of a postback in its scenario.
    struct Values {
        let adNetworkID: String
        let appID: Int64
        /// `campaign-id`, up to 3.0.
        let campaignID: Int?
        /// `source-identifier` as shown, from 4.0.
        let sourceIdentifier: String?
        let sourceApp: Int64?
        let sourceDomain: String?
        /// `redownload`, or what `conversion-type` says of it.
        let redownload: Bool?
        /// `conversion-type`, of AdAttributionKit.
        let conversionType: String?
        /// `fidelity-type`, from 2.2.
        let fidelity: Int?
        /// `did-win`, from 3.0.
        let didWin: Bool?
        /// `postback-sequence-index`, from 4.0.
        let sequenceIndex: Int?
        let country: String?
        let marketplace: String?
        /// `ad-interaction-type`, of AdAttributionKit.
        let interaction: String?
    }

    func values(in scenario: Scenario) -> Values {
        // Only what is needed is taken out of the arrays: a campaign or an app has a dozen parts to copy.
        let index = Int(campaign)
        let app = scenario.campaigns[index].app
        let showsSource = flags.contains(.showsSource)
        let isKit = version == .adAttributionKit
        let number = String(scenario.campaigns[index].sourceIdentifier + 10_000)
        let saysRedownload = version > .v1_0 || flags.contains(.saysRedownload)
        return Values(
            adNetworkID: scenario.networks[scenario.campaigns[index].network].id(in: version),
            appID: scenario.apps[app].id,
            campaignID: version < .v4_0 ? scenario.campaigns[index].campaignID : nil,
            sourceIdentifier: version < .v4_0 ? nil : String(number.suffix(Int(digits))),
            sourceApp: showsSource ? scenario.sources[Int(source)].app : nil,
            sourceDomain: showsSource ? scenario.sources[Int(source)].domain : nil,
            redownload: !saysRedownload || kind == .reengagement ? nil : kind == .redownload,
            conversionType: !isKit
                ? nil : kind == .download ? "download" : kind == .redownload ? "redownload" : "re-engagement",
            fidelity: (.v2_2 ... .v4_0).contains(version) ? (flags.contains(.isTap) ? 1 : 0) : nil,
            didWin: version < .v3_0 ? nil : flags.contains(.didWin),
            sequenceIndex: version < .v4_0 ? nil : Int(sequenceIndex),
            country: country == .max ? nil : scenario.apps[app].countries[Int(country)].choice,
            marketplace: marketplace == .max ? nil : scenario.apps[app].marketplaces[Int(marketplace)].choice,
            interaction: !isKit ? nil : flags.contains(.isTap) ? "click" : "view")
    }
}
