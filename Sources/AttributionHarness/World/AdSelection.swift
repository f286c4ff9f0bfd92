/// An ad that a device remembers when the app is installed.
package struct ShownAd: Hashable, Sendable {
    /// The network that signed it.
    package let network: Int
    /// The campaign, where the network is one of the scenario's own; nil for a rival's.
    package let campaign: Int?
    /// Whether it was a StoreKit-rendered ad or a web ad that was tapped; a view-through ad otherwise.
    package let isTap: Bool
    /// How long before the install it was shown, in milliseconds.
    package let age: Int64
    /// How many more views the same app showed until the install.
    package let laterViews: Int
    /// How long an install may follow, in milliseconds; nil for as long as Apple says.
    package var lifetime: Int64?

    package init(network: Int, campaign: Int? = nil, isTap: Bool, age: Int64, laterViews: Int = 0) {
        self.network = network
        self.campaign = campaign
        self.isTap = isTap
        self.age = age
        self.laterViews = laterViews
    }

    /// Whether an install may be attributed to it.
    package func qualifies(by rules: AppleRules) -> Bool {
        guard age >= 0 else {
            return false
        }
        return isTap
            ? age <= lifetime ?? AppleRules.tapToInstall
            : rules.hasViews && age <= lifetime ?? AppleRules.viewToInstall && laterViews < AppleRules.viewsPerSource
    }
}

/// Which ads of a device hear of an install.
package struct AdSelection: Hashable, Sendable {
    /// The ad to which the install is attributed.
    package let winner: ShownAd
    /// Ads of other networks, one each, which hear that they did not win.
    package let losers: [ShownAd]

    /// Selects among the ads a device remembers; nil when none qualifies.
    ///
    /// From 2.2 on taps go before views; among equals the most recent wins. AdAttributionKit considers six ads in all,
    /// whoever showed them; SKAdNetwork one of each network.
    package init?(among ads: [ShownAd], rules: AppleRules) {
        var ranking = ads.filter { $0.qualifies(by: rules) }
        ranking.sort { left, right in
            if rules.tapsGoFirst, left.isTap != right.isTap {
                return left.isTap
            }
            return left.age < right.age
        }
        if rules.version == .adAttributionKit {
            ranking = Array(ranking.prefix(AppleRules.consideredAds))
        }
        guard let first = ranking.first else {
            return nil
        }
        var losers: [ShownAd] = []
        for ad in ranking.dropFirst() where losers.count < rules.mostLosers {
            if ad.network != first.network, !losers.contains(where: { $0.network == ad.network }) {
                losers.append(ad)
            }
        }
        winner = first
        self.losers = losers
    }
}
