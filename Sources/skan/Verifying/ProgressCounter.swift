import Synchronization

/// Shows the progress of a run, on terminals only.
final class ProgressCounter: Sendable {
    private let total: Int
    private let count = Mutex(0)

    init(total: Int) {
        self.total = total
    }

    /// Counts one more step.
    func advance() {
        let done = count.withLock { count in
            count += 1
            return count
        }
        // A hundred updates are smooth enough.
        if done % max(1, total / 100) == 0 {
            Terminal.progress("\(done) of \(total)")
        }
    }
}
