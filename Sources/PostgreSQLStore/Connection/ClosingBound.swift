import Foundation
import Synchronization

/// Bounds how long a node that is to close waits for its server.
///
/// A commit waits for a standby for as long as the standby is away. After a moment statements are cancelled, so that a
/// commit fails like one that reached no other server, and nothing of its batch is acknowledged.
final class ClosingBound: Sendable {
    /// Whose statements are cancelled.
    enum User: Hashable {
        case recording
        case upkeep
    }

    private struct State {
        var cancelers: [User: StatementCanceler] = [:]
        var hasBegun = false
        var isOver = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// How long statements may go on, in seconds; less than listeners wait for their last answers.
    private static let grace = 2.0
    /// Seconds between two attempts, for a cancellation may come just before the statement that it is meant for.
    private static let interval = 0.2
    private static let attempts = 50

    /// Whether no further work may begin.
    var isOver: Bool {
        state.withLock { $0.isOver }
    }

    /// Takes the connection that is used from now on.
    func watch(_ connection: PostgreSQLConnection, of user: User) {
        state.withLock { $0.cancelers[user] = connection.canceler }
    }

    /// Starts the clock, once.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else {
            return
        }
        // Cancelling takes a connection, which may block.
        let thread = Thread { [self] in
            Thread.sleep(forTimeInterval: Self.grace)
            for _ in 0..<Self.attempts {
                let cancelers = state.withLock { state in
                    state.isOver = !state.isClosed
                    return state.isClosed ? [] : Array(state.cancelers.values)
                }
                guard !cancelers.isEmpty else {
                    return
                }
                for cancel in cancelers {
                    cancel()
                }
                Thread.sleep(forTimeInterval: Self.interval)
            }
        }
        thread.name = "skan-closing"
        thread.start()
    }

    /// Ends the attempts, after closing.
    func end() {
        state.withLock { $0.isClosed = true }
    }
}
