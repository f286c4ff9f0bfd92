/// Decides when a loop that signs rests before it looks at its sockets again.
///
/// A request signed alone costs twice what it does among many: the thread was woken for it, the caches have gone cold,
/// its signature is verified by itself. So when small turns of several clients follow each other closely and the loop is
/// idle between them, it rests for a moment and signs what has come meanwhile together. A client that sends one request
/// after the other waits for nothing, and neither do requests that keep the loop busy.
package struct TurnPace {
    /// How long a loop rests: a fraction of what a turn takes under load.
    package static let rest: Duration = .microseconds(250)
    /// A turn with so many requests is large enough: more would hardly make its requests cheaper.
    private static let largeTurn = 16
    /// Turns with less between them follow each other closely.
    private static let closeTurns: Duration = .milliseconds(1)
    /// With more between them, the loop was idle: clients that only wait for their answers send the next request sooner.
    private static let idleTime: Duration = .microseconds(30)

    private var last: (count: Int, end: ContinuousClock.Instant, rested: Bool)?

    /// Makes the pace of a loop that has had no turn.
    package init() {}

    /// Notes a turn.
    ///
    /// - Parameters:
    ///   - count: How many requests were signed together.
    ///   - start: When the turn began.
    ///   - end: When it ended.
    /// - Returns: Whether to rest now.
    package mutating func shouldRest(
        afterSigning count: Int, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
    ) -> Bool {
        var rests = false
        if let last {
            let gap = start - last.end
            let wasIdle = last.rested || gap > Self.idleTime
            rests =
                wasIdle && gap < Self.rest + Self.closeTurns && count < Self.largeTurn && max(count, last.count) > 1
        }
        last = (count, end, rests)
        return rests
    }
}
