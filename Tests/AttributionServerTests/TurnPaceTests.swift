import AttributionServer
import Testing

@Suite("The pace of turns that sign")
struct TurnPaceTests {
    /// The turns before the last one, each with the milliseconds at which it began and ended.
    @Test(
        "A loop rests between small turns that follow each other closely",
        arguments: [
            ("the first turn", [], (3, 0.0, 0.1), false),
            ("a turn after a pause", [(3, 0.0, 0.1)], (1, 5.1, 5.2), false),
            (
                "one client that sends one request after the other", [(1, 0.0, 0.1), (1, 0.2, 0.3)], (1, 0.4, 0.5),
                false
            ),
            ("a turn of several soon after another, the loop idle between them", [(1, 0.0, 0.1)], (2, 0.2, 0.3), true),
            ("a turn of one soon after one of several", [(2, 0.0, 0.1)], (1, 0.2, 0.3), true),
            ("the next turn after a rest", [(1, 0.0, 0.1), (2, 0.2, 0.3)], (5, 0.55, 0.7), true),
            ("turns of a busy loop", [(4, 0.0, 0.2)], (4, 0.21, 0.4), false),
            ("a large turn soon after", [(2, 0.0, 0.1)], (16, 0.9, 1.7), false),
        ] as [(String, [(Int, Double, Double)], (Int, Double, Double), Bool)])
    func rest(
        what: String, before: [(Int, Double, Double)], last: (Int, Double, Double), rests: Bool
    ) {
        let zero = ContinuousClock.now
        var pace = TurnPace()
        func shouldRest(_ turn: (count: Int, start: Double, end: Double)) -> Bool {
            pace.shouldRest(
                afterSigning: turn.count, from: zero + .milliseconds(turn.start), to: zero + .milliseconds(turn.end))
        }
        for turn in before { _ = shouldRest(turn) }
        #expect(shouldRest(last) == rests, "\(what)")
    }
}
