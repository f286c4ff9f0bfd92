import Attribution
import AttributionHarness

/// Bodies as simulated devices send them.
enum SimulatedBodies {
    /// A scenario of one campaign whose devices are all of one version.
    static func scenario(
        _ version: AttributionVersion,
        installs: Int = 40,
        days: Int = 12,
        more: String = "",
        behavior: String = "",
        app: String = ""
    ) throws -> Scenario {
        let text = """
            {"scenario": "one version", "days": \(days),
             "networks": [{"id": "example123.skadnetwork"}, {"id": "rival456.skadnetwork"}],
             "apps": [{"name": "app", "id": 525463029\(app)}],
             "sources": [{"name": "source", "app": 1234567891}],
             "behavior": [{"name": "people"\(behavior)}],
             "campaigns": [{"name": "campaign", "network": "example123.skadnetwork", "app": "app",
                "behavior": "people", "campaign-id": 42, "source-identifier": 5239, "installs": \(installs),
                "versions": [{"shares": {"\(version.name)": 1}}]}]\(more)}
            """
        return try Scenario(file: Array(text.utf8))
    }

    /// The first day of tests.
    static let start = CalendarDay(number: 20_728)

    /// All postbacks of a scenario.
    static func postbacks(_ scenario: Scenario, seed: UInt64 = 1) -> [SimulatedPostback] {
        postbacks(World(scenario, start: start, seed: seed))
    }

    /// All postbacks of a world.
    static func postbacks(_ world: World) -> [SimulatedPostback] {
        var world = world
        var postbacks: [SimulatedPostback] = []
        while let hour = world.nextHour() {
            postbacks += hour
        }
        return postbacks
    }

    /// A postback of a version that carries no source and says `redownload`, whatever the crowd.
    static func body(_ version: AttributionVersion, signedBy standIn: AppleStandIn) throws -> [UInt8] {
        var postback = SimulatedPostback(
            time: 0, idHigh: .random(in: 0...UInt64.max), idLow: .random(in: 0...UInt64.max), campaign: 0, source: 0,
            version: version)
        postback.digits = 2
        postback.flags = [.didWin, .isTap, .saysRedownload, .isInCapitals]
        return try postback.body(in: try scenario(version), signedBy: standIn)
    }
}
