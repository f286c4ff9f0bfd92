import Attribution
import Synchronization

/// Runs one job at a time, while a few wait in a line for each token; the lines take turns.
///
/// So whoever asks for many waits for those, and everyone else for one of each other token at most.
package final class JobQueue: Sendable {
    /// How many reports of one token wait while another is counted.
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
        /// The lines in which jobs wait, the next one first; none is empty.
        var lines: [Line] = []

        /// Takes the first job of the first line, which then becomes the last.
        mutating func takeNext() -> CheckedContinuation<Void, any Error>? {
            guard !lines.isEmpty else {
                isBusy = false
                return nil
            }
            var line = lines.removeFirst()
            let next = line.waiters.removeFirst()
            if !line.waiters.isEmpty {
                lines.append(line)
            }
            return next.continuation
        }

        mutating func remove(_ ticket: Int) -> CheckedContinuation<Void, any Error>? {
            for (index, line) in lines.enumerated() {
                guard let position = line.waiters.firstIndex(where: { $0.ticket == ticket }) else { continue }
                let waiter = lines[index].waiters.remove(at: position)
                if lines[index].waiters.isEmpty {
                    lines.remove(at: index)
                }
                return waiter.continuation
            }
            return nil
        }
    }

    /// The waiting jobs of one token, or of all without one, in order.
    private struct Line {
        let token: String?
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
    /// - Throws: ``Full`` at once when too many of the same token wait, `CancellationError` when the task is cancelled
    ///   while it waits, and what the job throws.
    package func run<Value: Sendable>(
        for token: String? = nil, _ job: () async throws -> Value
    ) async throws -> Value {
        try await begin(token)
        defer { finish() }
        return try await job()
    }

    private func begin(_ token: String?) async throws {
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
                    let index = state.lines.firstIndex { $0.token == token } ?? state.lines.count
                    if index == state.lines.count {
                        state.lines.append(Line(token: token))
                    } else if state.lines[index].waiters.count >= limit {
                        return .failure(Full(what: what, waiting: limit))
                    }
                    state.lines[index].waiters.append((ticket, continuation))
                    return nil
                }
                if let outcome {
                    continuation.resume(with: outcome)
                }
            }
        } onCancel: {
            state.withLock { $0.remove(ticket) }?.resume(throwing: CancellationError())
        }
    }

    /// Starts the next job, if there is one.
    private func finish() {
        state.withLock { $0.takeNext() }?.resume()
    }
}
