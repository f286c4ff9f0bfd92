import AttributionServer
import Testing

@Suite("The pace of turns that sign")
struct TurnPaceTests {
    /// The turns before the last one, each with the milliseconds at which it began and ended.
    @Test(
        "A loop rests between small turns that follow each other closely",
        arguments: [
            ("the first turn", [], (1, 0.0, 0.1), false),
            ("a turn after a pause", [(1, 0.0, 0.1)], (1, 5.1, 5.2), false),
            ("the next turn soon after", [(1, 0.0, 0.1)], (1, 0.9, 1.0), true),
            ("the next turn after a rest", [(1, 0.0, 0.1), (1, 0.9, 1.0)], (5, 1.5, 1.7), true),
            ("a large turn soon after", [(1, 0.0, 0.1)], (16, 0.9, 1.7), false),
            ("a small turn soon after a large one", [(64, 0.0, 3.0)], (3, 3.1, 3.3), true),
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
