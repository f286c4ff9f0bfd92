import Attribution
import AttributionStore
import Foundation
import PostgreSQLStore
import Synchronization
import TestSupport
import Testing

@Suite("Commits that wait for a standby", .serialized, .timeLimit(.minutes(5)))
struct ReplicationTests {
    /// A node that is recording a postback, and waits for a standby to confirm it.
    private struct WaitingCommit {
        let server: PostgreSQLServer
        let node: PostgreSQLLedgerWriter
        let delivery: Delivery
        private let address: String
        private let answer: Future

        private struct NoWait: Error {}

        /// What a thread of its own returns: the tasks of other tests may block all threads of the pool for a while.
        private final class Future: Sendable {
            private let result = Mutex<Result<[Recording?], any Error>?>(nil)
            private let isThere = DispatchSemaphore(value: 0)

            init(_ body: @escaping @Sendable () throws -> [Recording?]) {
                Thread.detachNewThread {
                    let result = Result(catching: body)
                    self.result.withLock { $0 = result }
                    self.isThere.signal()
                }
            }

            func value() throws -> [Recording?] {
                isThere.wait()
                isThere.signal()
                return try result.withLock { $0 }?.get() ?? []
            }
        }

        init() throws {
            // Nobody of that name ever confirms anything; recording alone waits for it, whatever the role's setting is.
            let server = try PostgreSQLServer(settings: [
                "synchronous_standby_names = 'absent'", "synchronous_commit = local",
            ])
            let address = try server.makeDatabase()
            let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(address))
            let delivery = try TestDatabase().delivery(id: "a")
            (self.server, self.address, self.node, self.delivery) = (server, address, node, delivery)
            answer = Future { try node.record([delivery]) }
            let end = ContinuousClock.now + .seconds(60)
            while try sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "0" {
                guard ContinuousClock.now < end else { throw NoWait() }
            }
        }

        @discardableResult
        func sql(_ statement: String) throws -> String {
            try server.sql(statement, database: address)
        }

        /// What the recording returns in the end.
        func recording() async throws -> [Recording?] {
            let answer = answer
            return try await blocking { try answer.value() }
        }
    }

    @Test("A commit whose wait for a standby was cancelled is a failure, and counts once when it comes again")
    func cancelledWait() async throws {
        let commit = try WaitingCommit()
        let node = commit.node
        try commit.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        let problem = await #expect(throws: StoreError.self) { try await commit.recording() }
        #expect(problem == .failed(path: node.name, .notReplicated))
        #expect(problem?.hint?.contains("standbys") == true)
        #expect(node.health.reason?.contains("may not be on any other server") == true)
        try commit.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        try commit.sql("SELECT pg_reload_conf()")
        #expect(try node.record([commit.delivery]) == [.duplicate(.test)])
        #expect(node.health == .ready)
        #expect(try commit.sql("SELECT count(*) FROM skan.postback") == "1")
    }

    @Test("A node closes in bounded time although a commit waits, which fails")
    func closing() async throws {
        let commit = try WaitingCommit()
        let node = commit.node
        let start = ContinuousClock.now
        node.prepareToClose()
        let problem = await #expect(throws: StoreError.self) { try await commit.recording() }
        #expect(problem == .failed(path: node.name, .notReplicated))
        // Bodies that are still waiting do not wait again.
        #expect(throws: StoreError.self) { try node.record([commit.delivery]) }
        try node.close()
        // Twice as long as a server waits for its last answers: a wait that nothing bounds never ends.
        #expect(ContinuousClock.now - start < .seconds(8))
    }
}
