import Attribution

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

    /// The values in a scenario.
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
