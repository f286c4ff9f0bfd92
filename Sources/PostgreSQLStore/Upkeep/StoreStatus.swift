import AttributionStore
import Foundation
import Synchronization

/// What a node knows of its server.
final class StoreStatus: Sendable {
    private struct State {
        /// Why the last transaction failed.
        var failure: StoreHealth? = .failing(reason: "no server was reached yet")
        /// What is wrong with the server that answers.
        var problem: StoreHealth?
        var lastRecordedAt: Int64?
        /// Whether it was said that commits reach one server alone.
        var isUnreplicatedNoted = false
    }

    private let requiresSynchronous: Bool
    private let state = Mutex(State())

    /// Recording and probing use different connections, so either can hang alone.
    let recording = StoreProgress()
    let probing = StoreProgress()

    /// The greatest difference between a node's clock and the database's, and the one beyond which nothing is recorded,
    /// because the days of reports would be wrong; in milliseconds.
    private static let clockTolerance: Int64 = 2_000
    private static let clockLimit: Int64 = 3_600_000

    init(requiresSynchronous: Bool) {
        self.requiresSynchronous = requiresSynchronous
    }

    var health: StoreHealth {
        let (failure, problem) = state.withLock { ($0.failure, $0.problem) }
        return failure ?? recording.stall() ?? probing.stall() ?? problem ?? .ready
    }

    /// Whether the last transaction failed.
    var hasFailed: Bool {
        state.withLock { $0.failure != nil }
    }

    var lastRecordedAt: Int64? {
        state.withLock { $0.lastRecordedAt }
    }

    func didFail(_ reason: String, hint: String? = nil) {
        state.withLock { $0.failure = .failing(reason: reason, hint: hint) }
    }

    func didCommit() {
        state.withLock { $0.failure = nil }
    }

    func didRecord(at milliseconds: Int64) {
        state.withLock { $0.lastRecordedAt = max($0.lastRecordedAt ?? milliseconds, milliseconds) }
    }

    /// Looks at a server: whether its clock is ours, and whether its commits reach another one.
    func look(
        _ connection: PostgreSQLConnection, _ name: String, _ onEvent: @Sendable (StoreEvent) -> Void
    ) throws {
        let sent = Self.now
        let result = try connection.run(
            """
            SELECT skan.clock(), current_setting('synchronous_standby_names') <> '',
                (SELECT floor(extract(epoch FROM recorded_at) * 1000)::int8 FROM skan.postback
                    ORDER BY commit_order DESC, id DESC LIMIT 1)
            """)
        let received = Self.now
        let clock = try result.integer(0, 0)
        // Within the time that the question was on its way, nobody knows when it was read.
        let difference = max(sent - clock, clock - received, 0)
        let isReplicated = try result.bool(0, 1)
        if let last = try result.optional(0, 2) {
            didRecord(at: last)
        }
        let isNew = state.withLock { state in
            state.problem = Self.problem(ofClocks: difference)
            defer { state.isUnreplicatedNoted = !isReplicated }
            return !isReplicated && !state.isUnreplicatedNoted
        }
        guard isReplicated || !requiresSynchronous else {
            throw StoreError.notSynchronous(path: name)
        }
        if isNew {
            onEvent(.notSynchronous(store: name))
        }
    }

    private static func problem(ofClocks difference: Int64) -> StoreHealth? {
        guard difference > clockTolerance else {
            return nil
        }
        let differ = "this machine's clock and the database's differ by \(difference) ms; "
        return difference > clockLimit
            ? .failing(
                reason: differ + "beyond an hour nothing is recorded, because it would count on a wrong day",
                hint: "synchronize both")
            : .doubtful(reason: differ + "2000 ms at most are allowed: synchronize both")
    }

    private static var now: Int64 {
        Int64(Date().timeIntervalSince1970 * 1000)
    }
}
