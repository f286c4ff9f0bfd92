import Platform
import Testing

@Suite("The throttle of the log")
struct LogThrottleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var lines = 1
        /// When lines arrive, in milliseconds.
        let times: [Int]
        /// For each line, how many were suppressed before it, or nil if it is suppressed itself.
        let admitted: [Int?]
    }

    static let rows = [
        Row(testDescription: "a single line is written", times: [0], admitted: [0]),
        Row(testDescription: "the second within a second is not", times: [0, 999], admitted: [0, nil]),
        Row(
            testDescription: "the first after a second says how many were not", times: [0, 1, 2, 1000],
            admitted: [0, nil, nil, 2]),
        Row(
            testDescription: "a second begins with its first line, not with the clock", times: [0, 1900, 2800],
            admitted: [0, 0, nil]),
        Row(
            testDescription: "three a second", lines: 3, times: [0, 0, 0, 0, 0, 1000, 1001, 1002, 1003],
            admitted: [0, 0, 0, nil, nil, 2, 0, 0, nil]),
        Row(testDescription: "none at all", lines: 0, times: [0, 2000], admitted: [nil, nil]),
    ]

    @Test("It admits a number of lines in each interval and counts the others", arguments: rows)
    func admits(row: Row) {
        var throttle = LogThrottle(lines: row.lines)
        let start = ContinuousClock.now
        #expect(row.times.map { throttle.admit(at: start + .milliseconds($0)) } == row.admitted)
    }

    @Test("The end of a burst is counted once, after its interval")
    func end() {
        var throttle = LogThrottle()
        let start = ContinuousClock.now
        _ = throttle.admit(at: start)
        #expect(!throttle.hasSuppressed)
        #expect(throttle.takeSuppressed(at: start + .seconds(2)) == nil)
        _ = throttle.admit(at: start + .milliseconds(1))
        #expect(throttle.hasSuppressed)
        #expect(throttle.takeSuppressed(at: start + .milliseconds(999)) == nil)
        #expect(throttle.takeSuppressed(at: start + .seconds(1)) == 1)
        #expect(!throttle.hasSuppressed)
        #expect(throttle.takeSuppressed(at: start + .seconds(2)) == nil)
    }
}
