import Attribution
import AttributionHarness
import Testing

/// `AdAttributionKitConfigurations`, as devices with iOS 18.4 and later play it.
@Suite("What an app's own rules of attribution change")
struct AppAttributionRulesTests {
    private static let hour = AppleRules.hour
    private static let day = AppleRules.day

    private static var rules: AppAttributionRules {
        var rules = AppAttributionRules()
        rules.windows = [
            "global": .init(days: [.click: 14, .view: 3]), "own.adattributionkit": .init(days: [.click: 7]),
            "tapped.adattributionkit": .init(ignored: .view),
        ]
        return rules
    }

    @Test(
        "A network's window goes before the global one, and that before the system's",
        arguments: [
            (AppAttributionRules(), "own.adattributionkit", 30, 1), (rules, "own.adattributionkit", 7, 3),
            (rules, "tapped.adattributionkit", 14, nil), (rules, "other.adattributionkit", 14, 3),
        ] as [(AppAttributionRules, String, Int64, Int64?)])
    func windows(_ rules: AppAttributionRules, _ network: String, _ click: Int64, _ view: Int64?) {
        func wins(isTap: Bool, age: Int64) -> Bool {
            let ad = ShownAd(network: 0, isTap: isTap, age: age).limited(by: rules, network: network)
            return AdSelection(among: ad.map { [$0] } ?? [], rules: AppleRules(.adAttributionKit)) != nil
        }
        #expect(wins(isTap: true, age: click * Self.day) && !wins(isTap: true, age: click * Self.day + 1))
        #expect(wins(isTap: false, age: (view ?? 0) * Self.day) == (view != nil))
        #expect(!wins(isTap: false, age: (view ?? 0) * Self.day + 1))
    }

    @Test(
        "Nothing converts in the cooldown of the conversion before, and what does not convert begins none",
        arguments: [
            (nil, nil, [1, 2, 3], [1, 2, 3]), (0, 0, [0], [0]), (24, nil, [23, 24, 25], [24, 25]),
            (nil, 48, [10, 57, 58], [10, 58]), (24, 48, [5, 30, 40], [30]), (720, nil, [719], []),
        ] as [(Int?, Int?, [Int64], [Int64])])
    func cooldowns(_ install: Int?, _ reengagement: Int?, _ taps: [Int64], _ conversions: [Int64]) {
        var rules = AppAttributionRules()
        rules.installCooldownHours = install
        rules.reengagementCooldownHours = reengagement
        // The install was five hours before the first launch, from which taps are counted.
        let times = taps.map { ($0 - 5) * Self.hour }
        let expected = conversions.map { ($0 - 5) * Self.hour }
        #expect(rules.reengagements(times, installedAt: -5 * Self.hour) == expected)
    }

    private static func postbacks(
        _ configuration: String, _ version: AttributionVersion = .adAttributionKit
    ) throws -> [SimulatedPostback] {
        SimulatedBodies.postbacks(
            try SimulatedBodies.scenario(
                version, installs: 20, days: 90, behavior: #", "re-engages": 1, "re-engages-again": 1"#,
                app: #", "AdAttributionKitConfigurations": {\#(configuration)}"#))
    }

    @Test("Devices send what the rules of the app leave; those of SKAdNetwork do not know them")
    func devices() throws {
        let ignoring = #""example123.skadnetwork": {"install": {"click": 1, "ignoreInteractionType": "view"}}"#
        let windows = #""AttributionWindows": {"global": {"install": {"view": 7}}, \#(ignoring)}"#
        let (all, limited) = (try Self.postbacks(""), try Self.postbacks(windows))
        #expect(all.contains { !$0.flags.contains(.isTap) } && !limited.contains { !$0.flags.contains(.isTap) })
        #expect(!limited.isEmpty && limited.count < all.count)
        #expect(try Self.postbacks(windows, .v4_0) == Self.postbacks("", .v4_0))
    }

    @Test("A second re-engagement follows, unless the cooldown after the first is as long as people stay away")
    func again() throws {
        func count(_ cooldown: String) throws -> Int {
            try Self.postbacks(#""AttributionCooldown": {\#(cooldown)}"#).count {
                $0.kind == .reengagement && $0.sequenceIndex == 0
            }
        }
        let (all, first) = (try count(""), try count(#""re-engagement-cooldown-hours": 720"#))
        #expect(first > 100 && first * 3 < all * 2)
        // One as long after the install takes nearly all first ones, and leaves some of the second.
        #expect(try count(#""install-cooldown-hours": 720, "re-engagement-cooldown-hours": 720"#) < first)
    }
}
