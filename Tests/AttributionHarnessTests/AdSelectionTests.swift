import AttributionHarness
import Testing

@Suite("Which ads hear of an install")
struct AdSelectionTests {
    private static let hour = AppleRules.hour
    private static let day = AppleRules.day

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var version = AttributionVersion.v4_0
        let ads: [ShownAd]
        /// The network that wins; nil for none.
        let winner: Int?
        /// The networks that hear that they did not win, in order.
        var losers: [Int] = []
    }

    private static func tap(_ network: Int, _ age: Int64) -> ShownAd {
        ShownAd(network: network, isTap: true, age: age)
    }

    private static func view(_ network: Int, _ age: Int64, laterViews: Int = 0) -> ShownAd {
        ShownAd(network: network, isTap: false, age: age, laterViews: laterViews)
    }

    static let rows = [
        Row(testDescription: "a tap counts for 30 days", ads: [tap(1, 30 * day)], winner: 1),
        Row(testDescription: "and not for longer", ads: [tap(1, 30 * day + 1)], winner: nil),
        Row(testDescription: "a view counts for 24 hours", ads: [view(1, day)], winner: 1),
        Row(testDescription: "and not for longer either", ads: [view(1, day + 1)], winner: nil),
        Row(testDescription: "2.1 has no views", version: .v2_1, ads: [view(1, hour)], winner: nil),
        Row(testDescription: "2.2 has them", version: .v2_2, ads: [view(1, hour)], winner: 1),
        Row(testDescription: "an ad after the install is none", ads: [tap(1, -1)], winner: nil),
        Row(
            testDescription: "of one source 15 views are remembered",
            ads: [view(1, 3 * hour, laterViews: 14)], winner: 1),
        Row(
            testDescription: "and the oldest of 16 is forgotten", ads: [view(1, 3 * hour, laterViews: 15)], winner: nil
        ),
        Row(
            testDescription: "an old tap goes before a fresh view", ads: [view(1, hour), tap(2, 29 * day)], winner: 2,
            losers: [1]),
        Row(
            testDescription: "up to 2.1 the most recent wins", version: .v2_0, ads: [tap(1, 2 * day), tap(2, hour)],
            winner: 2),
        Row(
            testDescription: "of two taps the most recent wins", version: .v2_2, ads: [tap(1, 2 * day), tap(2, hour)],
            winner: 2),
        Row(
            testDescription: "before 3.0 nobody hears of a loss", version: .v2_2,
            ads: [tap(1, hour), tap(2, 2 * hour)],
            winner: 1),
        Row(
            testDescription: "from 3.0 on the others do", version: .v3_0, ads: [tap(1, hour), tap(2, 2 * hour)],
            winner: 1, losers: [2]),
        Row(
            testDescription: "five of them at most", version: .v3_0,
            ads: (1...8).map { tap($0, Int64($0) * hour) }, winner: 1, losers: [2, 3, 4, 5, 6]),
        Row(
            testDescription: "each once, and never the winner's network", version: .v4_0,
            ads: [tap(1, hour), tap(1, 2 * hour), tap(2, 3 * hour), tap(2, 4 * hour), tap(3, 5 * hour)], winner: 1,
            losers: [2, 3]),
        Row(
            testDescription: "AdAttributionKit considers six ads in all", version: .adAttributionKit,
            ads: (1...5).map { tap(1, Int64($0) * hour) } + [tap(2, 6 * hour), tap(3, 7 * hour)], winner: 1,
            losers: [2]),
        Row(
            testDescription: "SKAdNetwork considers one of each network", version: .v4_0,
            ads: (1...5).map { tap(1, Int64($0) * hour) } + [tap(2, 6 * hour), tap(3, 7 * hour)], winner: 1,
            losers: [2, 3]),
        Row(testDescription: "without ads there is nothing to say", ads: [], winner: nil),
    ]

    @Test("Apple's order decides", arguments: rows)
    func selection(_ row: Row) {
        let rules = AppleRules(row.version)
        // In whatever order they are remembered.
        for ads in [row.ads, row.ads.reversed()] {
            let selection = AdSelection(among: ads, rules: rules)
            #expect(selection?.winner.network == row.winner)
            #expect(selection?.losers.map(\.network) ?? [] == row.losers)
        }
    }
}
