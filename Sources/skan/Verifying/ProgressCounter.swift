import Synchronization

/// Shows on a terminal how far a run has come; to a file it says nothing.
final class ProgressCounter: Sendable {
    private let total: Int
    private let count = Mutex(0)

    init(total: Int) {
        self.total = total
    }

    /// One more is done.
    func advance() {
        let done = count.withLock { count in
            count += 1
            return count
        }
        // A hundred steps are smooth enough and cost nothing.
        if done % max(1, total / 100) == 0 {
            Terminal.progress("\(done) of \(total)")
        }
    }
}
