/// Time since it was made, in seconds, by a clock that nobody sets.
struct Stopwatch {
    private let start = ContinuousClock.now

    var seconds: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
