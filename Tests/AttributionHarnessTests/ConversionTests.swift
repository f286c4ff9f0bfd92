import Attribution
import AttributionHarness
import Testing

@Suite("What becomes of an app's conversion values")
struct ConversionTests {
    private static let hour = AppleRules.hour
    private static let day = AppleRules.day

    // MARK: The timer

    struct TimerRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Hours after the launch, and values.
        let updates: [(Int64, Int)]
        let value: UInt8?
        /// Hours after the launch.
        let endsAt: Int64
    }

    static let timerRows = [
        TimerRow(testDescription: "it runs for a day from the launch", updates: [], value: nil, endsAt: 24),
        TimerRow(testDescription: "a value starts it again", updates: [(5, 3)], value: 3, endsAt: 29),
        TimerRow(testDescription: "0 is a value", updates: [(1, 0)], value: 0, endsAt: 25),
        TimerRow(testDescription: "a greater one too", updates: [(5, 3), (20, 4)], value: 4, endsAt: 44),
        TimerRow(testDescription: "an equal one does not", updates: [(5, 3), (20, 3)], value: 3, endsAt: 29),
        TimerRow(testDescription: "nor does a lower one", updates: [(5, 3), (20, 2)], value: 3, endsAt: 29),
        TimerRow(testDescription: "63 is the greatest", updates: [(5, 63), (6, 64)], value: 63, endsAt: 29),
        TimerRow(testDescription: "a negative one is ignored", updates: [(5, -1)], value: nil, endsAt: 24),
        TimerRow(testDescription: "what comes after the end is late", updates: [(24, 9)], value: nil, endsAt: 24),
        TimerRow(
            testDescription: "it goes on as long as values rise", updates: [(20, 1), (40, 2), (60, 3), (90, 4)],
            value: 3, endsAt: 84),
    ]

    @Test("Up to 3.0 a timer of 24 hours is restarted by greater values only", arguments: timerRows)
    func timer(_ row: TimerRow) {
        let timer = ConversionTimer(row.updates.map { ConversionUpdate(at: $0 * Self.hour, fine: $1) })
        #expect(timer.value == row.value)
        #expect(timer.endsAt == row.endsAt * Self.hour)
    }

    // MARK: Windows

    struct WindowRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let updates: [ConversionUpdate]
        var reengagedAt: Int64?
        /// Fine value, coarse value and end in hours of each window.
        let windows: [(UInt8?, CoarseConversionValue?, Int64)]
    }

    private static func update(
        _ hours: Int64, _ fine: Int, _ coarse: CoarseConversionValue? = nil, locks: Bool = false
    ) -> ConversionUpdate {
        ConversionUpdate(at: hours * hour, fine: fine, coarse: coarse, locksWindow: locks)
    }

    static let windowRows = [
        WindowRow(
            testDescription: "there are three, of 2, 5 and 28 days", updates: [],
            windows: [(nil, nil, 48), (nil, nil, 168), (nil, nil, 840)]),
        WindowRow(
            testDescription: "the last value counts, also a lower one",
            updates: [update(1, 20, .high), update(47, 5, .low)],
            windows: [(5, .low, 48), (nil, nil, 168), (nil, nil, 840)]),
        WindowRow(
            testDescription: "fine values count in the first alone", updates: [update(50, 20, .high)],
            windows: [(nil, nil, 48), (nil, .high, 168), (nil, nil, 840)]),
        WindowRow(
            testDescription: "each window has its own coarse value",
            updates: [update(1, 1, .low), update(100, 2, .medium), update(800, 3, .high), update(840, 4, .low)],
            windows: [(1, .low, 48), (nil, .medium, 168), (nil, .high, 840)]),
        WindowRow(
            testDescription: "a lock ends its window at once, and what follows in it is ignored",
            updates: [update(3, 7, .low, locks: true), update(4, 8, .high), update(60, 9, .medium)],
            windows: [(7, .low, 3), (nil, .medium, 168), (nil, nil, 840)]),
        WindowRow(
            testDescription: "later windows can be locked too", updates: [update(200, 1, .high, locks: true)],
            windows: [(nil, nil, 48), (nil, nil, 168), (nil, .high, 200)]),
        WindowRow(
            testDescription: "a value out of range is ignored with its lock",
            updates: [update(3, 64, .high, locks: true)], windows: [(nil, nil, 48), (nil, nil, 168), (nil, nil, 840)]),
        WindowRow(
            testDescription: "a re-engagement locks the present window and takes the later ones away",
            updates: [update(1, 5, .low), update(60, 6, .high)], reengagedAt: 72,
            windows: [(5, .low, 48), (nil, .high, 72)]),
    ]

    @Test("From 4.0 on there are windows", arguments: windowRows)
    func windows(_ row: WindowRow) throws {
        let windows = ConversionWindow.windows(row.updates, until: row.reengagedAt.map { $0 * Self.hour })
        try #require(windows.count == row.windows.count)
        for (index, (window, expected)) in zip(windows, row.windows).enumerated() {
            #expect(window.sequenceIndex == index)
            #expect(window.fine == expected.0)
            #expect(window.coarse == expected.1)
            #expect(window.endsAt == expected.2 * Self.hour)
        }
    }

    // MARK: Delays

    @Test(
        "A postback is sent after its window, by a delay drawn between two bounds",
        arguments: [
            (AttributionVersion.v1_0, 0, Int64(0), Int64(24)), (.v3_0, 0, 0, 24), (.v4_0, 0, 24, 48),
            (.v4_0, 1, 24, 144), (.v4_0, 2, 24, 144), (.adAttributionKit, 0, 24, 48), (.adAttributionKit, 2, 24, 144),
        ])
    func delay(_ version: AttributionVersion, _ window: Int, _ least: Int64, _ most: Int64) {
        #expect(AppleRules(version).delay(afterWindow: window) == least * Self.hour...most * Self.hour)
    }

    @Test(
        "An app calls within 60 days of an install, and within 2 of a re-engagement, or there is no postback",
        arguments: [
            (AttributionVersion.v2_0, Int64(60), false, true), (.v4_0, 60, false, true), (.v4_0, 61, false, false),
            (.adAttributionKit, 60, false, true), (.adAttributionKit, 61, false, false),
            (.adAttributionKit, 2, true, true), (.adAttributionKit, 3, true, false), (.v4_0, 1, true, false),
        ])
    func firstCall(_ version: AttributionVersion, _ days: Int64, _ isReengagement: Bool, _ registers: Bool) {
        let rules = AppleRules(version)
        #expect(rules.registers(firstCallAfter: days * Self.day, isReengagement: isReengagement) == registers)
    }

    @Test(
        "A device tries nine times over nine days, and the first try that finds a server delivers",
        arguments: [
            ([], 0), ([0..<1], 1), ([0..<3], 3), ([1..<9], 0), ([0..<1, 2..<9], 1), ([0..<8], 8), ([0..<9], nil),
        ] as [([Range<Int64>], Int?)])
    func retries(_ daysDown: [Range<Int64>], _ delivered: Int?) {
        for seed in UInt64(0)..<20 {
            var generator = SeededGenerator(seed: seed)
            let schedule = RetrySchedule(first: 5 * Self.hour, using: &generator)
            let outages = daysDown.map { $0.lowerBound * Self.day..<$0.upperBound * Self.day }
            #expect(schedule.firstDelivered(outside: outages) == delivered)
            #expect(schedule.time(ofTry: RetrySchedule.tries - 1) - schedule.time(ofTry: 0) <= 9 * Self.day)
        }
    }

    // MARK: Tiers

    @Test(
        "The crowd decides the tier",
        arguments: [
            (9.0, 9.0, DataTier.zero), (10, 10, .one), (29, 29, .one), (30, 30, .two), (500, 59, .two),
            (500, 60, .three),
            (60, 60, .three),
        ])
    func tier(_ identifier: Double, _ source: Double, _ tier: DataTier) {
        #expect(CrowdThresholds().tier(identifier: identifier, source: source) == tier)
    }

    @Test(
        "The best tier is taken, with the most digits it has; tiers 0 and 1 have two",
        arguments: [
            (DataTier.zero, DataTier.zero, DataTier.zero, DataTier.zero, 2), (.one, .one, .one, .one, 2),
            (.two, .one, .zero, .two, 2), (.two, .two, .one, .two, 3), (.two, .two, .two, .two, 4),
            (.three, .two, .two, .three, 2), (.three, .three, .two, .three, 3), (.three, .three, .three, .three, 4),
        ])
    func digits(_ two: DataTier, _ three: DataTier, _ four: DataTier, _ tier: DataTier, _ digits: Int) {
        let choice = TierChoice(two: two, three: three, four: four)
        #expect(choice.tier == tier)
        #expect(choice.digits == digits)
    }
}
