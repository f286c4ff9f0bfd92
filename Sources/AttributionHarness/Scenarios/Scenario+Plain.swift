package import Attribution

extension Scenario {
    /// An ordinary month in both frameworks: three apps, five campaigns that were already running, a few faults.
    package static func plain(days: Int, scale: Double = 1) throws(DocumentProblem) -> Scenario {
        var scenario = try Scenario(file: Array(plainText.utf8))
        scenario.days = days
        scenario.scale(by: scale)
        return scenario
    }

    /// Multiplies all volumes and the sizes of crowds.
    package mutating func scale(by factor: Double) {
        for index in campaigns.indices {
            campaigns[index].installs *= factor
        }
        crowds.tierOne *= factor
        crowds.tierTwo *= factor
        crowds.tierThree *= factor
        crowds.single *= factor
        crowds.country *= factor
    }

    /// Multiplies the shares of all faults.
    package mutating func scaleFaults(by factor: Double) {
        for index in faults.indices {
            faults[index].share = min(1, faults[index].share * factor)
        }
    }

    /// A month of a network with three apps, for `skan demo`.
    package static func demo() throws(DocumentProblem) -> Scenario {
        try Scenario(file: PackageResources.demo_json)
    }

    private static let plainText = """
        {
          "scenario": "an ordinary month", "days": 30, "running-since": 45,
          "networks": [
            {"id": "example123.skadnetwork", "adattributionkit-id": "example123.adattributionkit"},
            {"id": "rival456.skadnetwork"}, {"id": "rival789.skadnetwork"}, {"id": "com.apple.ads"}
          ],
          "apps": [
            {"name": "puzzle", "id": 525463029, "countries": {"US": 50, "DE": 20, "JP": 20, "BR": 10}},
            {"name": "bank", "id": 1234567890, "redownloads": 0.35, "countries": {"DE": 80, "AT": 20}},
            {"name": "shop", "id": 10738027756, "countries": {"US": 70, "GB": 30},
             "marketplaces": {"com.apple.AppStore": 9, "com.example.marketplace": 1}}
          ],
          "sources": [
            {"name": "word game", "app": 1234567891, "views-an-hour": 1}, {"name": "weather", "app": 6448311069},
            {"name": "news", "domain": "news.example.org"}
          ],
          "behavior": [
            {"name": "players", "sets-value": 0.85, "updates": 3, "comes-back": 0.5, "locks": 0.03},
            {"name": "buyers", "sets-value": 0.6, "comes-back": 0.3, "re-engages": 0.15,
             "values": [{"from": 1, "lowest": 0, "highest": 40}]}
          ],
          "campaigns": [
            {"name": "puzzle video", "network": "example123.skadnetwork", "app": "puzzle", "campaign-id": 12,
             "source-identifier": 5239, "installs": 120, "weekdays": [0.9, 0.9, 0.9, 0.95, 1.1, 1.3, 1.2],
             "behavior": "players", "versions": [{"shares": {"3.0": 20, "4.0": 50, "AdAttributionKit": 30}}]},
            {"name": "puzzle playable", "network": "example123.skadnetwork", "app": "puzzle", "campaign-id": 13,
             "source-identifier": 5139, "installs": 40, "behavior": "players", "views": 0.05,
             "versions": [{"shares": {"2.2": 10, "3.0": 20, "4.0": 70}}]},
            {"name": "bank search", "network": "example123.skadnetwork", "app": "bank", "campaign-id": 40,
             "source-identifier": 7700, "installs": 30, "weekdays": [1.2, 1.2, 1.2, 1.1, 1, 0.6, 0.5],
             "behavior": "buyers", "sources": {"weather": 60, "news": 40}, "views": 0,
             "versions": [{"shares": {"1.0": 2, "2.0": 4, "2.1": 4, "4.0": 90}}]},
            {"name": "shop spring", "network": "example123.skadnetwork", "app": "shop", "campaign-id": 77,
             "source-identifier": 1042, "installs": 60, "growth": 1.05, "rivals": 1.5, "behavior": "buyers",
             "versions": [{"shares": {"4.0": 20, "AdAttributionKit": 80}}]},
            {"name": "shop banner", "network": "example123.skadnetwork", "app": "shop", "campaign-id": 78,
             "source-identifier": 1043, "installs": 8, "views": 0.8, "behavior": "buyers",
             "versions": [{"shares": {"3.0": 60, "4.0": 40}}]}
          ],
          "crowds": {"tier-1": 6, "tier-2": 20, "tier-3": 35, "up-to-3.0": 20, "country": 12},
          "faults": [
            {"fault": "repeated", "share": 0.03}, {"fault": "raised-conversion", "share": 0.01},
            {"fault": "tampered", "share": 0.02}, {"fault": "wrong-key", "share": 0.01},
            {"fault": "version-up", "share": 0.01}, {"fault": "zero-filled", "share": 0.005},
            {"fault": "retyped-number", "share": 0.005}, {"fault": "truncated", "share": 0.005},
            {"fault": "delayed", "share": 0.02}, {"fault": "reordered", "share": 0.02}
          ]
        }
        """
}
