import Synchronization

/// A clock of the work that records: whether commits and probes end, or one keeps everything behind it waiting.
///
/// A hung disk or a stopped server reports no error, so that nothing but the time says that nothing is recorded.
package final class StoreProgress: Sendable {
    private struct State {
        var underWay = 0
        /// When the last one ended, or the first of those under way began, whichever is later.
        var since = ContinuousClock.now
    }

    /// How long a commit or a probe may be under way before the store is not ready.
    package static let patience = Duration.seconds(3)

    private let state = Mutex(State())

    package init() {}

    /// Does work that has to end soon, including the time it waits for its turn.
    package func during<Result>(_ work: () throws -> Result) rethrows -> Result {
        state.withLock { state in
            if state.underWay == 0 {
                state.since = .now
            }
            state.underWay += 1
        }
        defer {
            state.withLock { state in
                state.underWay -= 1
                state.since = .now
            }
        }
        return try work()
    }

    /// Why nothing can be recorded: something is under way, and nothing has ended for longer than the patience; nil
    /// otherwise.
    package func stall(at now: ContinuousClock.Instant = .now) -> StoreHealth? {
        let isStalled = state.withLock { $0.underWay > 0 && now - $0.since >= Self.patience }
        return isStalled
            ? .failing(
                reason: "a commit has not ended for more than \(Self.patience.components.seconds) seconds",
                hint: "find out who holds the store's lock, and whether its disk or its server hangs")
            : nil
    }
}
