import Attribution
import AttributionHarness
import AttributionSigning
import Testing

@Suite("Devices on a clock of their own", .timeLimit(.minutes(10)))
struct WorldTests {
    @Test("The same seed makes the same postbacks, and another one others")
    func determinism() throws {
        let scenario = try Scenario.plain(days: 5)
        let first = SimulatedBodies.postbacks(scenario, seed: 3)
        #expect(first.count > 500)
        #expect(SimulatedBodies.postbacks(scenario, seed: 3) == first)
        #expect(SimulatedBodies.postbacks(scenario, seed: 4) != first)
        let later = World(scenario, start: SimulatedBodies.start.advanced(by: 30), seed: 3)
        #expect(Set(SimulatedBodies.postbacks(later).map(\.idLow)).isDisjoint(with: first.map(\.idLow)))
        #expect(Set(first.map { [$0.idHigh, $0.idLow, UInt64($0.sequenceIndex)] }).count == first.count)
    }

    @Test("The same seed makes the same deliveries, but for their signatures")
    func deliveries() async throws {
        func sent(by standIn: AppleStandIn) async throws -> ([Int64], ExpectedReport) {
            let world = World(try .plain(days: 3), start: SimulatedBodies.start, seed: 5)
            var traffic = try ScenarioTraffic(world, seed: 5, standIn: standIn)
            var times: [Int64] = []
            while let chunk = try await traffic.next(atLeast: 64) {
                times += chunk.map(\.time)
            }
            return (times, traffic.expected)
        }
        let (first, second) = (try await sent(by: AppleStandIn()), try await sent(by: AppleStandIn()))
        #expect(first.0.count > 200)
        #expect(first.0 == second.0)
        #expect(first.0 == first.0.sorted())
        #expect(first.1.json == second.1.json)
    }

    @Test("What devices send is read and verified, version by version", arguments: AttributionVersion.allCases)
    func bodies(_ version: AttributionVersion) throws {
        let standIn = try AppleStandIn()
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        let scenario = try SimulatedBodies.scenario(version, installs: 60, days: 8)
        for postback in SimulatedBodies.postbacks(scenario).prefix(100) {
            guard case .verified(let verified) = verifier.judge(try postback.body(in: scenario, signedBy: standIn))
            else {
                Issue.record("a simulated postback of \(version.name) does not verify")
                return
            }
            #expect(verified.postback.key.transactionID.text == postback.id)
        }
    }

    @Test("Only 3.0 and later tell who did not win, and then show neither source nor value")
    func losers() throws {
        for version in AttributionVersion.allCases {
            let losses = SimulatedBodies.postbacks(try SimulatedBodies.scenario(version)).filter {
                !$0.flags.contains(.didWin)
            }
            #expect(losses.isEmpty == (version < .v3_0), "\(version.name)")
            #expect(
                losses.allSatisfy {
                    !$0.flags.contains(.showsSource) && $0.conversion == .absent && $0.sequenceIndex == 0
                        && $0.country == .max
                })
        }
    }

    struct CrowdRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let version: AttributionVersion
        let installs: Int
        let digits: Set<UInt8>
        let showsSource: Bool
        let showsFine: Bool
        let showsCoarseFirst: Bool
        let hasLaterWindows: Bool
    }

    static let crowdRows = [
        CrowdRow(
            testDescription: "3.0 below the threshold", version: .v3_0, installs: 8, digits: [0], showsSource: false,
            showsFine: false, showsCoarseFirst: false, hasLaterWindows: false),
        CrowdRow(
            testDescription: "3.0 above it", version: .v3_0, installs: 100, digits: [0], showsSource: true,
            showsFine: true, showsCoarseFirst: false, hasLaterWindows: false),
        CrowdRow(
            testDescription: "tier 0", version: .v4_0, installs: 1, digits: [2], showsSource: false, showsFine: false,
            showsCoarseFirst: false, hasLaterWindows: false),
        CrowdRow(
            testDescription: "tier 1", version: .v4_0, installs: 12, digits: [2], showsSource: false, showsFine: false,
            showsCoarseFirst: true, hasLaterWindows: true),
        CrowdRow(
            testDescription: "tier 2", version: .adAttributionKit, installs: 50, digits: [2, 4], showsSource: false,
            showsFine: true, showsCoarseFirst: false, hasLaterWindows: true),
        CrowdRow(
            testDescription: "tier 3", version: .adAttributionKit, installs: 200, digits: [2, 4], showsSource: true,
            showsFine: true, showsCoarseFirst: false, hasLaterWindows: true),
    ]

    @Test("The crowd decides what is shown", arguments: crowdRows)
    func crowds(_ row: CrowdRow) throws {
        let crowds = #", "crowds": {"tier-1": 5, "tier-2": 24, "tier-3": 90, "up-to-3.0": 30}"#
        let scenario = try SimulatedBodies.scenario(row.version, installs: row.installs, days: 60, more: crowds)
        let postbacks = SimulatedBodies.postbacks(scenario)
        try #require(!postbacks.isEmpty)
        #expect(Set(postbacks.map(\.digits)) == row.digits)
        #expect(postbacks.contains { $0.flags.contains(.showsSource) } == row.showsSource)
        func has(_ isShown: (SimulatedConversion) -> Bool, later: Bool) -> Bool {
            postbacks.contains { ($0.sequenceIndex > 0) == later && isShown($0.conversion) }
        }
        let isFine: (SimulatedConversion) -> Bool = { if case .fine = $0 { true } else { false } }
        let isCoarse: (SimulatedConversion) -> Bool = { if case .coarse = $0 { true } else { false } }
        #expect(has(isFine, later: false) == row.showsFine)
        #expect(has(isCoarse, later: false) == row.showsCoarseFirst)
        #expect(!has(isFine, later: true))
        #expect(postbacks.contains { $0.sequenceIndex > 0 } == row.hasLaterWindows)
        #expect(postbacks.allSatisfy { $0.sequenceIndex == 0 || $0.digits == 2 })
    }

    @Test("A re-engagement is a tap, wins, and comes after the install")
    func reengagements() throws {
        let scenario = try SimulatedBodies.scenario(
            .adAttributionKit, days: 60, behavior: #", "re-engages": 1"#)
        let reengagements = SimulatedBodies.postbacks(scenario).filter { $0.kind == .reengagement }
        #expect(!reengagements.isEmpty)
        #expect(reengagements.allSatisfy { $0.flags.isSuperset(of: [.isTap, .didWin]) })
        // Later windows of the install that a re-engagement took away are sent where conversions may overlap.
        func thirds(_ app: String) throws -> Int {
            var scenario = try SimulatedBodies.scenario(
                .adAttributionKit, days: 60, behavior: #", "re-engages": 1"#, app: app)
            // So that every window ends within the scenario.
            scenario.campaigns[0].through = 10
            return SimulatedBodies.postbacks(scenario).count { $0.kind != .reengagement && $0.sequenceIndex == 2 }
        }
        #expect(try thirds("") == thirds(#", "overlapping-re-engagements": false"#))
        #expect(try thirds(#", "overlapping-re-engagements": true"#) > thirds(""))
    }

    @Test("Of a three-day outage nothing is lost, and nothing arrives in it")
    func outage() throws {
        let calm = try SimulatedBodies.scenario(.v4_0, days: 30)
        var down = calm
        down.outages = [.init(from: 10, days: 3)]
        let before = SimulatedBodies.postbacks(calm)
        var world = World(down, start: SimulatedBodies.start, seed: 1)
        var after: [SimulatedPostback] = []
        while let hour = world.nextHour() {
            after += hour
        }
        func key(_ postback: SimulatedPostback) -> [UInt64] {
            [postback.idHigh, postback.idLow, UInt64(postback.sequenceIndex)]
        }
        #expect(world.givenUp == 0)
        #expect(!after.contains { down.outages[0].range.contains($0.time) })
        // What was to come in the last days may be on its way still: a try follows at most three days later.
        let early = before.filter { $0.time < 26 * AppleRules.day }
        #expect(Set(early.map(key)).isSubset(of: Set(after.map(key))))
        #expect(Set(after.map(key)).count == after.count)
    }

    @Test("Devices give up after nine tries")
    func givingUp() throws {
        var scenario = try SimulatedBodies.scenario(.v3_0, days: 40)
        scenario.outages = [.init(from: 5, days: 12)]
        var world = World(scenario, start: SimulatedBodies.start, seed: 1)
        while world.nextHour() != nil {}
        #expect(world.givenUp > 0)
    }

    @Test("A plain world has exactly as many postbacks as were asked for", arguments: [1, 100, 3_000])
    func counted(_ count: Int) async throws {
        var world = try await World.plain(count: count, days: 7, faults: 1, start: SimulatedBodies.start, seed: 2)
        var all = 0
        while let hour = world.nextHour() {
            all += hour.count
        }
        #expect(all == count)
    }

    @Test("Weekdays, growth, starts and ends decide the volume")
    func volume() throws {
        var scenario = try SimulatedBodies.scenario(.v3_0, installs: 400, days: 40)
        scenario.campaigns[0].from = 8
        scenario.campaigns[0].through = 21
        scenario.campaigns[0].growth = 4
        let postbacks = SimulatedBodies.postbacks(scenario)
        let days = Dictionary(grouping: postbacks) { Int($0.time / AppleRules.day) + 1 }.mapValues(\.count)
        #expect((1...8).allSatisfy { days[$0] == nil })
        #expect(days[10, default: 0] < days[20, default: 0])
        #expect(days[35] == nil)
        scenario.campaigns[0].weekdays = [1, 1, 1, 1, 1, 0, 0]
        #expect(SimulatedBodies.postbacks(scenario).count < postbacks.count)
    }
}
