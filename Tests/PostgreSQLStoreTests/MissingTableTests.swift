import Attribution
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import Testing

@Suite("Dropped tables in PostgreSQL")
struct MissingTableTests {
    @Test(
        "Tables of columns are made again by a migration, and reports are as before",
        arguments: ["block", "block_column", "column_value"])
    func columns(_ table: String) async throws {
        let database = try TestDatabase()
        do {
            let node = try database.node()
            #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
            _ = try node.close()
        }
        try database.sql("DROP TABLE skan.\(table) CASCADE")
        let address = try database.address
        #expect(try SchemaMigrator.check(address) == .columnsRemade)
        #expect(try SchemaMigrator.migrate(address) == .columnsRemade)
        #expect(try SchemaMigrator.migrate(address) == .current)
        #expect(try await database.counts().totals[.postbacks] == 1)
        #expect(try await database.differences() == [])
    }

    @Test("A repair makes the tables of columns again")
    func repair() async throws {
        let database = try TestDatabase()
        do {
            let node = try database.node()
            #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
            _ = try node.close()
        }
        try database.sql("DROP TABLE skan.column_value")
        let verifier = database.verifier
        let repair = try await database.node().repair { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await database.counts().totals[.postbacks] == 1)
    }

    @Test(
        "A table that follows from no others is named by a migration",
        arguments: ["delivery", "quarantine", "recipient_copy", "spend"])
    func named(_ table: String) throws {
        let database = try TestDatabase()
        try SchemaMigrator.migrate(database.address)
        try database.sql("DROP TABLE skan.\(table) CASCADE")
        for work in [SchemaMigrator.check, SchemaMigrator.migrate] {
            let error = #expect(throws: StoreError.self) { try work(database.address) }
            #expect(error?.message.contains("its table \(table) is missing") == true, "\(String(describing: error))")
            #expect(error?.hint == "restore a backup")
        }
    }

    @Test("A table dropped under a node is named by its health until it is back")
    func underNode() throws {
        let database = try TestDatabase()
        let node = try database.node()
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
        node.heartbeat()
        #expect(node.health == .ready)
        try database.sql("ALTER TABLE skan.delivery RENAME TO elsewhere")
        // The second beat commits by itself, which says nothing of the table.
        for _ in 0..<2 {
            node.heartbeat()
            #expect(node.health.reason?.contains("its table delivery is missing") == true, "\(node.health)")
            #expect(node.health.hint == "restore a backup")
        }
        try database.sql("ALTER TABLE skan.elsewhere RENAME TO delivery")
        node.heartbeat()
        #expect(node.health == .ready)
    }

    @Test("A node records on without the tables of columns")
    func recordsOn() throws {
        let database = try TestDatabase()
        let node = try database.node()
        try database.sql("DROP TABLE skan.column_value")
        node.heartbeat()
        #expect(node.health == .ready)
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
    }

    @Test("A recount that needs a dropped table names it and the cure")
    func recount() async throws {
        let database = try TestDatabase()
        try SchemaMigrator.migrate(database.address)
        try database.sql("DROP TABLE skan.block CASCADE")
        let error = await #expect(throws: StoreError.self) { try await database.differences() }
        #expect(error?.message.contains("skan.block") == true, "\(String(describing: error))")
        #expect(error?.hint?.hasPrefix("skan migrate") == true)
    }
}
