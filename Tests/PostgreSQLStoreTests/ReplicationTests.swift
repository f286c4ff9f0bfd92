import Attribution
import AttributionStore
import Foundation
import PostgreSQLStore
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
        private let answer: Task<Result<[Recording?], any Error>, Never>

        private struct NoWait: Error {}

        init() throws {
            // Nobody of that name ever confirms anything; recording alone waits for it, whatever the role's setting is.
            let server = try PostgreSQLServer(settings: [
                "synchronous_standby_names = 'absent'", "synchronous_commit = local",
            ])
            let address = try server.makeDatabase()
            let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(address))
            let delivery = try TestDatabase().delivery(id: "a")
            (self.server, self.address, self.node, self.delivery) = (server, address, node, delivery)
            answer = Task.detached { Result { try node.record([delivery]) } }
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
            try await answer.value.get()
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
        #expect(ContinuousClock.now - start < .seconds(4), "longer than a server waits for its last answers")
    }
}
