import Attribution
import AttributionHarness
import Testing

@Suite("Copies of winning postbacks for the developer", .timeLimit(.minutes(10)))
struct DeveloperCopyTests {
    private static let ours =
        #", "developer-copies": {"SKAdNetwork": "ours", "AdAttributionKit": "ours", "re-engagements": true}"#

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let version: AttributionVersion
        var didWin = true
        var kind = SimulatedPostback.Kind.download
        let copies: DeveloperCopies
        let reachesUs: Bool
    }

    static let rows = [
        Row(testDescription: "no app asks by itself", version: .v4_0, copies: DeveloperCopies(), reachesUs: false),
        Row(
            testDescription: "1.0 has none", version: .v1_0, copies: DeveloperCopies(skAdNetwork: .ours),
            reachesUs: false),
        Row(
            testDescription: "2.0 has them", version: .v2_0, copies: DeveloperCopies(skAdNetwork: .ours),
            reachesUs: true),
        Row(
            testDescription: "who did not win has none", version: .v4_0, didWin: false,
            copies: DeveloperCopies(skAdNetwork: .ours), reachesUs: false),
        Row(
            testDescription: "another endpoint is not ours", version: .v4_0,
            copies: DeveloperCopies(skAdNetwork: .elsewhere, adAttributionKit: .ours), reachesUs: false),
        Row(
            testDescription: "each framework has an endpoint of its own", version: .adAttributionKit,
            copies: DeveloperCopies(skAdNetwork: .ours), reachesUs: false),
        Row(
            testDescription: "AdAttributionKit has copies", version: .adAttributionKit, kind: .redownload,
            copies: DeveloperCopies(adAttributionKit: .ours), reachesUs: true),
        Row(
            testDescription: "of re-engagements only where asked for", version: .adAttributionKit, kind: .reengagement,
            copies: DeveloperCopies(adAttributionKit: .ours), reachesUs: false),
        Row(
            testDescription: "and there they come", version: .adAttributionKit, kind: .reengagement,
            copies: DeveloperCopies(adAttributionKit: .ours, includesReengagements: true), reachesUs: true),
    ]

    @Test("Devices send them by Apple's rules", arguments: rows)
    func rules(_ row: Row) {
        var postback = SimulatedPostback(
            time: 0, idHigh: 1, idLow: 2, campaign: 0, source: 0, version: row.version)
        postback.kind = row.kind
        if row.didWin {
            postback.flags.insert(.didWin)
        }
        #expect(row.copies.reachUs(of: postback) == row.reachesUs)
    }

    @Test("Both copies are sent at the same time, and either comes first", arguments: AttributionVersion.allCases)
    func times(_ version: AttributionVersion) throws {
        let asking = SimulatedBodies.postbacks(try SimulatedBodies.scenario(version, app: Self.ours))
        let silent = SimulatedBodies.postbacks(try SimulatedBodies.scenario(version))
        #expect(asking.count == silent.count)
        #expect(silent.allSatisfy { $0.otherCopyAt == nil && !$0.flags.contains(.isDeveloperFirst) })
        for postback in asking {
            let isCopied = version > .v1_0 && postback.flags.contains(.didWin)
            #expect((postback.otherCopyAt != nil) == isCopied)
            if let other = postback.otherCopyAt {
                #expect((1...1_000).contains(other - postback.time))
            }
        }
        #expect(asking.contains { $0.flags.contains(.isDeveloperFirst) } == (version > .v1_0))
    }

    @Test("After an outage each copy comes by its own tries")
    func outage() throws {
        var scenario = try SimulatedBodies.scenario(.v4_0, days: 30, app: Self.ours)
        scenario.outages = [.init(from: 10, days: 3)]
        let range = scenario.outages[0].range
        let postbacks = SimulatedBodies.postbacks(scenario)
        #expect(postbacks.allSatisfy { !range.contains($0.time) && !($0.otherCopyAt.map(range.contains) ?? false) })
        #expect(postbacks.contains { ($0.otherCopyAt ?? $0.time) - $0.time > AppleRules.hour })
    }

    @Test(
        "A copy has the bytes of the postback, and goes to Apple's path",
        arguments: [
            (AttributionVersion.v3_0, "http://127.0.0.1:1/.well-known/skadnetwork/report-attribution/"),
            (.adAttributionKit, "http://127.0.0.1:1/.well-known/appattribution/report-attribution/"),
        ])
    func bytes(_ version: AttributionVersion, _ url: String) async throws {
        let world = World(
            try SimulatedBodies.scenario(version, app: Self.ours), start: SimulatedBodies.start, seed: 1)
        var traffic = try ScenarioTraffic(world, seed: 1, standIn: try AppleStandIn())
        var bodies: [Delivery.Recipient: [[UInt8]]] = [:]
        let target = try #require(DeliveryTarget("http://127.0.0.1:1/registered"))
        while let deliveries = try await traffic.next() {
            for delivery in deliveries {
                bodies[delivery.recipient, default: []].append(delivery.body)
                #expect(
                    target.url(for: delivery.recipient, delivery.framework)
                        == (delivery.recipient == .developer ? url : "http://127.0.0.1:1/registered"))
            }
        }
        let (copies, own) = (Set(bodies[.developer] ?? []), Set(bodies[.network] ?? []))
        #expect(!copies.isEmpty && copies.isStrictSubset(of: own))
        let figures = traffic.expected.figures(by: [.recipient])
        #expect(figures["row developer: postbacks", default: 0] > 0)
        let deliveries = traffic.expected.deliveryFigures(withRepeats: true)
        #expect(deliveries["deliveries: developer-copies"] == Int64(bodies[.developer]?.count ?? 0))
        #expect(deliveries["deliveries: also-from-another-recipient"] == deliveries["deliveries: test duplicate"])
    }

    @Test("A plain world knows the framework of each delivery, and so its path")
    func plain() async throws {
        var traffic = try ScenarioTraffic(
            await World.plain(count: 60, faults: 0, seed: 1), seed: 1, standIn: try AppleStandIn())
        let deliveries = try #require(try await traffic.next())
        for delivery in deliveries {
            let isKit = if case .adAttributionKit = try ReceivedPostback(reading: delivery.body) { true } else { false }
            #expect(delivery.framework == (isKit ? .adAttributionKit : .skAdNetwork))
        }
        #expect(Set(deliveries.map(\.framework)).count == 2)
    }

    @Test(
        "A target is a server or a whole URL",
        arguments: [
            ("http://localhost:8080", "http://localhost:8080/adattributionkit/postbacks"),
            ("https://example.com/", "https://example.com/adattributionkit/postbacks"),
            ("https://example.com/a/b", "https://example.com/a/b"), ("localhost:8080", nil), ("ftp://example.com", nil),
            ("127.0.0.1", nil), ("", nil),
        ])
    func target(_ text: String, _ url: String?) {
        #expect(DeliveryTarget(text)?.url(for: .network, .adAttributionKit) == url)
    }
}
