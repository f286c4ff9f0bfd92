import Attribution
import AttributionHarness
import Testing

@Suite("The first launch from when a postback arrives")
struct LaunchBoundsTests {
    /// What apps do that moves the end of a window, or of the timer.
    static let behaviors = [
        "", #", "sets-value": 0"#, #", "locks": 1, "comes-back": 1"#,
        #", "updates": 50, "comes-back": 1, "locks": 0.2"#, #", "re-engages": 1"#,
    ]

    private static func quarter(_ milliseconds: Int64) -> Int64 {
        milliseconds.dividedRoundingDown(by: 900_000)
    }

    @Test(
        "Every launch is within the bounds of its version and window, and so is the estimate",
        arguments: AttributionVersion.allCases, behaviors)
    func bounds(_ version: AttributionVersion, _ behavior: String) throws {
        let scenario = try SimulatedBodies.scenario(version, days: 60, behavior: behavior)
        var timings: Set<PostbackTiming> = []
        for postback in SimulatedBodies.postbacks(scenario) {
            let timing = PostbackTiming(
                version: version.skAdNetwork, sequenceIndex: version < .v4_0 ? nil : Int64(postback.sequenceIndex))
            let arrival = Self.quarter(postback.time)
            let bounds = timing.launch(arrivalQuarter: arrival)
            #expect(bounds.contains(Self.quarter(postback.launchedAt)), "\(timing.title)")
            #expect(bounds.contains(timing.estimatedLaunch(arrivalQuarter: arrival)))
            timings.insert(timing)
        }
        #expect(timings == (version < .v4_0 ? [.timer] : [.firstWindow, .secondWindow, .thirdWindow]))
    }

    @Test(
        "Bounds and estimates are those of Apple's timers, in hours before the arrival",
        arguments: [
            (PostbackTiming.timer, 24, 65 * 24, 36), (.firstWindow, 24, 96, 84), (.secondWindow, 72, 312, 252),
            (.thirdWindow, 192, 984, 924),
        ] as [(PostbackTiming, Int64, Int64, Int64)])
    func hours(_ timing: PostbackTiming, _ least: Int64, _ most: Int64, _ estimate: Int64) {
        #expect(timing.launch(arrivalQuarter: 100) == (100 - most * 4)...(100 - least * 4))
        #expect(timing.estimatedLaunch(arrivalQuarter: 100) == 100 - estimate * 4)
    }
}
