import Attribution
import Synchronization

/// Runs one job at a time, in order, while a few wait.
package final class JobQueue: Sendable {
    /// How many reports wait while another is counted.
    package static let reports = 4

    /// Too many jobs are waiting.
    struct Full: CodedError {
        let what: String
        let waiting: Int
        var code: ErrorCode { .busy }
        var message: String { "\(what) and \(waiting) are waiting" }
        var hint: String? { "try again" }
    }

    private struct State {
        var isBusy = false
        var nextTicket = 0
        /// The waiting jobs with their tickets, in order.
        var waiters: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let what: String
    private let limit: Int
    private let state = Mutex(State())

    package init(_ what: String = "one report is being counted", waiting: Int = reports) {
        self.what = what
        limit = waiting
    }

    /// Runs a job when its turn comes.
    ///
    /// - Throws: ``Full`` at once when too many wait, `CancellationError` when the task is cancelled while it waits, and
    ///   what the job throws.
    func run<Value: Sendable>(_ job: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { finish() }
        return try await job()
    }

    private func begin() async throws {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled {
                        return .failure(CancellationError())
                    }
                    if !state.isBusy {
                        state.isBusy = true
                        return .success(())
                    }
                    if state.waiters.count >= limit {
                        return .failure(Full(what: what, waiting: limit))
                    }
                    state.waiters.append((ticket, continuation))
                    return nil
                }
                if let outcome {
                    continuation.resume(with: outcome)
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Starts the next job, if there is one.
    private func finish() {
        let next = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isBusy = false
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume()
    }
}
