import Attribution
import AttributionHarness
import AttributionSigning
import Testing

/// Rules of Apple's that are tested on their own elsewhere, and here in what devices really send.
@Suite("What devices send follows Apple's rules")
struct DeviceRuleTests {
    private static let day = AppleRules.day

    @Test("A view is forgotten when the same app has shown 15 more, and a tap never is", arguments: [0.0, 1.0])
    func views(_ share: Double) throws {
        func count(_ viewsAnHour: Double) throws -> Int {
            var scenario = try SimulatedBodies.scenario(.v4_0)
            scenario.campaigns[0].views = share
            scenario.campaigns[0].rivals = 0
            scenario.sources[0].viewsAnHour = viewsAnHour
            return SimulatedBodies.postbacks(scenario).count
        }
        let (few, many) = (try count(0), try count(1_000))
        #expect(few > 100)
        #expect(share == 0 ? many == few : many < few / 10)
    }

    /// Earliest days of postbacks of the first, second and third window.
    @Test(
        "A postback waits for the end of its window and for its delay, and a lock brings the end forward",
        arguments: [
            (AttributionVersion.v3_0, [1], [1]), (.v4_0, [3, 8, 36], [1, 3, 8]),
            (.adAttributionKit, [3, 8, 36], [1, 3, 8]),
        ] as [(AttributionVersion, [Int64], [Int64])])
    func windows(_ version: AttributionVersion, _ unlocked: [Int64], _ locked: [Int64]) throws {
        for (locks, days) in [("0", unlocked), ("1", locked)] {
            let behavior = #", "sets-value": 1, "comes-back": 1, "locks": \#(locks)"#
            let postbacks = SimulatedBodies.postbacks(
                try SimulatedBodies.scenario(version, installs: 300, days: 60, behavior: behavior))
            let earliest = days.indices.map { window in
                postbacks.filter { $0.sequenceIndex == window }.map(\.time).min() ?? 0
            }
            for (window, earliest) in earliest.enumerated() {
                let isEarlier = days[window] < unlocked[window]
                let range = days[window]..<(isEarlier ? unlocked[window] : days[window] + 1)
                #expect(range.contains(earliest / Self.day), "locks \(locks), window \(window)")
            }
        }
    }

    @Test("Up to 3.0 greater values put the postback off, and equal ones do not")
    func timer() throws {
        func mean(_ values: String) throws -> Int64 {
            let behavior = #", "sets-value": 1, "updates": 6, "values": [\#(values)]"#
            var scenario = try SimulatedBodies.scenario(.v3_0, days: 60, behavior: behavior)
            scenario.campaigns[0].through = 1
            scenario.campaigns[0].rivals = 0
            let times = SimulatedBodies.postbacks(scenario).map(\.time)
            return times.reduce(0, +) / Int64(max(times.count, 1))
        }
        // Of one value alone only the first call restarts the timer.
        let (rising, constant) = (
            try mean(#"{"lowest": 0, "highest": 63}"#), try mean(#"{"lowest": 7, "highest": 7}"#)
        )
        #expect(rising > constant + Self.day / 4)
    }

    @Test("A redownload is said as one by every version", arguments: AttributionVersion.allCases)
    func redownloads(_ version: AttributionVersion) throws {
        let standIn = try AppleStandIn()
        for share in [0, 1] {
            let scenario = try SimulatedBodies.scenario(version, app: #", "redownloads": \#(share)"#)
            for postback in SimulatedBodies.postbacks(scenario).prefix(40) {
                switch try ReceivedPostback(reading: postback.body(in: scenario, signedBy: standIn)) {
                case .skAdNetwork(let received):
                    // 1.0 may leave it out.
                    #expect(received.isRedownload == (share == 1) || version == .v1_0 && received.isRedownload == nil)
                case .adAttributionKit(let received):
                    #expect(received.conversionType == (share == 1 ? .redownload : .download))
                }
            }
        }
    }

    @Test("A country is shown by AdAttributionKit alone, when its crowd is large enough")
    func countries() throws {
        func shown(_ version: AttributionVersion) throws -> Set<String> {
            let scenario = try SimulatedBodies.scenario(
                version, installs: 100, more: #", "crowds": {"country": 30}"#,
                app: #", "countries": {"US": 60, "DE": 35, "AT": 5}"#)
            let standIn = try AppleStandIn()
            return Set(
                try SimulatedBodies.postbacks(scenario).compactMap { postback in
                    let body = try postback.body(in: scenario, signedBy: standIn)
                    guard case .adAttributionKit(let received) = try ReceivedPostback(reading: body) else {
                        return nil
                    }
                    return received.countryCode?.text
                })
        }
        #expect(try shown(.adAttributionKit) == ["US", "DE"])
        #expect(try shown(.v4_0).isEmpty)
    }

    @Test(
        "The form of a source identifier with the best tier is shown", arguments: [(1_239, 3), (1_139, 2), (1_100, 4)])
    func digits(_ other: Int, _ digits: UInt8) throws {
        var scenario = try SimulatedBodies.scenario(
            .v4_0, installs: 70, days: 20, more: #", "crowds": {"tier-1": 5, "tier-2": 100, "tier-3": 1000}"#)
        scenario.campaigns[0].rivals = 0
        // Another campaign of the app, whose identifier ends as the first one's 5239, or does not.
        var second = scenario.campaigns[0]
        second.name = "second"
        second.sourceIdentifier = other
        scenario.campaigns.append(second)
        if digits == 4 {
            scenario.crowds.tierTwo = 30
        }
        let firsts = SimulatedBodies.postbacks(scenario).filter { $0.campaign == 0 && $0.sequenceIndex == 0 }
        #expect(!firsts.isEmpty && firsts.allSatisfy { $0.digits == digits })
    }

    @Test("Apple Ads sends under its own id", arguments: [AttributionVersion.v1_0, .v3_0, .adAttributionKit])
    func appleAds(_ version: AttributionVersion) throws {
        let standIn = try AppleStandIn()
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        var scenario = try SimulatedBodies.scenario(version)
        scenario.networks[0].id = Scenario.Network.appleAds
        let postbacks = SimulatedBodies.postbacks(scenario).prefix(20)
        #expect(!postbacks.isEmpty)
        for postback in postbacks {
            guard case .verified(let verified) = verifier.judge(try postback.body(in: scenario, signedBy: standIn))
            else {
                Issue.record("a postback of Apple Ads does not verify")
                return
            }
            #expect(verified.postback.key.adNetworkID.text == "com.apple.ads")
        }
    }
}
