import Attribution
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

@Suite("Commits that wait for a standby", .serialized)
struct ReplicationTests {
    @Test("A commit whose wait for a standby was cancelled is a failure, and counts once when it comes again")
    func cancelledWait() async throws {
        // Nobody of that name ever confirms anything; recording alone waits for it, whatever the role's setting is.
        let server = try PostgreSQLServer(settings: [
            "synchronous_standby_names = 'absent'", "synchronous_commit = local",
        ])
        let text = try server.makeDatabase()
        let database = try TestDatabase()
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(text))
        let delivery = try database.delivery(id: "a")
        let answer = Task.detached { Result { try node.record([delivery]) } }
        while try server.sql(
            "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", database: text)
            == "0"
        {}
        let problem = await #expect(throws: StoreError.self) { try await answer.value.get() }
        #expect(problem == .failed(path: node.name, .notReplicated))
        #expect(problem?.hint?.contains("standbys") == true)
        #expect(node.health.reason?.contains("may not be on any other server") == true)
        try server.sql("ALTER SYSTEM SET synchronous_standby_names = ''", database: text)
        try server.sql("SELECT pg_reload_conf()", database: text)
        #expect(try node.record([delivery]) == [.duplicate(.test)])
        #expect(node.health == .ready)
        #expect(try server.sql("SELECT count(*) FROM skan.postback", database: text) == "1")
    }

    @Test("A node closes in bounded time although a commit waits, which fails", .timeLimit(.minutes(2)))
    func closing() async throws {
        let server = try PostgreSQLServer(settings: [
            "synchronous_standby_names = 'absent'", "synchronous_commit = local",
        ])
        let text = try server.makeDatabase()
        let database = try TestDatabase()
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(text))
        let delivery = try database.delivery(id: "a")
        let answer = Task.detached { Result { try node.record([delivery]) } }
        while try server.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", database: text) == "0"
        {}
        let start = ContinuousClock.now
        node.prepareToClose()
        let problem = await #expect(throws: StoreError.self) { try await answer.value.get() }
        #expect(problem == .failed(path: node.name, .notReplicated))
        // Bodies that are still waiting do not wait again.
        #expect(throws: StoreError.self) { try node.record([delivery]) }
        try node.close()
        #expect(ContinuousClock.now - start < .seconds(4), "longer than a server waits for its last answers")
    }
}
