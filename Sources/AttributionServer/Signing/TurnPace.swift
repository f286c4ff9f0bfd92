/// Decides when a loop that signs rests before it looks at its sockets again.
///
/// A request signed alone costs twice what it does among many: the thread was woken for it, the caches have gone cold,
/// its signature is verified by itself. So when small turns follow each other closely, the loop rests for a moment and
/// signs what has come meanwhile together. A request that comes after a pause waits for nothing.
package struct TurnPace {
    /// How long a loop rests: a fraction of what a turn takes under load.
    package static let rest: Duration = .microseconds(250)
    /// A turn with so many requests is large enough.
    private static let largeTurn = 16
    /// Turns with less between them follow each other closely.
    private static let closeTurns: Duration = .milliseconds(1)

    private var end: ContinuousClock.Instant?

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
        defer { self.end = end }
        guard count < Self.largeTurn, let before = self.end else { return false }
        return start - before < Self.rest + Self.closeTurns
    }
}
