import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import Synchronization
import TestSupport
import Testing

@Suite("Operating a store in PostgreSQL", .serialized)
struct OperationTests {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    @Test("Two nodes started at once on an empty database both run")
    func empty() async throws {
        let database = database
        let nodes = try await withThrowingTaskGroup(of: PostgreSQLLedgerWriter.self) { group in
            for _ in 0..<4 {
                group.addTask { try database.node() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, node) in nodes.enumerated() {
            #expect(try node.record([database.delivery(id: "p\(number)")]) == [.recorded(.test)])
        }
        #expect(try SchemaMigrator.check(database.address) == .current)
    }

    @Test("A database without tables is migrated once, and one of a later release refused")
    func migrating() throws {
        let address = try database.address
        #expect(try SchemaMigrator.check(address) == .migrated(from: nil, to: 2))
        #expect(try SchemaMigrator.migrate(address) == .migrated(from: nil, to: 2))
        #expect(try SchemaMigrator.migrate(address) == .current)
        // A later release that this one can still work beside, and one that it cannot.
        try database.sql("UPDATE skan.store SET version = 3")
        #expect(try database.node().record([database.delivery(id: "a")]) == [.recorded(.test)])
        try database.sql("UPDATE skan.store SET oldest_program = 3")
        #expect(throws: StoreError.newerSchema(path: address.description)) { try database.node() }
    }

    @Test("Each role can do what the documentation grants it, and no more")
    func roles() async throws {
        let roles = (node: "node_\(database.name)", reader: "reader_\(database.name)")
        let none = try PostgreSQLAddress(database.server.address(database.name, user: roles.node))
        try database.sql("CREATE ROLE \(roles.node) LOGIN; CREATE ROLE \(roles.reader) LOGIN")
        defer {
            _ = try? database.sql(
                "DROP OWNED BY \(roles.node), \(roles.reader); DROP ROLE \(roles.node), \(roles.reader)")
        }
        #expect(throws: StoreError.notMigrated(path: none.description, found: nil, needed: 2)) {
            try PostgreSQLLedgerWriter(none)
        }
        try SchemaMigrator.migrate(database.address)
        let article = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Sources/PostgreSQLStore/PostgreSQLStore.docc/PostgreSQL.md"),
            encoding: .utf8)
        let grants = article.split(separator: "\n").filter { $0.contains("GRANT ") && $0.contains(";") }
            .joined(separator: "\n")
        try database.sql(
            grants.replacingOccurrences(of: "skan_node", with: roles.node)
                .replacingOccurrences(of: "skan_reader", with: roles.reader))
        let node = try PostgreSQLLedgerWriter(none)
        try database.fillBlock()
        // The node writes a block, and another one in place of a damaged one.
        try node.writeBlocks(until: "SELECT count(*) = 1 FROM skan.block", database)
        let checksum = try database.sql("SELECT checksum FROM skan.block")
        try database.sql("UPDATE skan.block SET checksum = checksum + 1")
        try node.writeBlocks(until: "SELECT bool_and(checksum = \(checksum)) FROM skan.block", database)
        try database.sql("DELETE FROM skan.postback")
        #expect(try node.record(database.contradiction(id: "a")) == [.recorded(.test), .conflict(.test)])
        node.heartbeat()
        #expect(node.health == .ready)
        let verifier = database.verifier
        #expect(try node.requeue(QuarantineQuery()) { verifier.judge($0) } == Requeued())
        #expect(try node.prune(QuarantineQuery()) == 1)
        let key = AppleKeyRecord(
            name: "a", publicKey: [0], signer: .skAdNetwork(.v4_0), provenance: .apple,
            validity: AppleKeyRecord.always)
        try node.keep([key])
        try node.keep([key])
        let count = try Self.signedCount()
        #expect(try node.addSigned([count]) == 1)
        #expect(try node.addSigned([count]) == 0)
        let spend = try Spend(
            reading: [
                "date": "2026-11-21", "ad-network-id": "example123.skadnetwork", "app-id": "1", "campaign-id": "12",
                "currency": "USD", "amount": "3",
            ], latest: count.day)
        #expect(try node.recordSpend([spend], replaces: false).new == 1)
        #expect(try node.recordSpend([spend], replaces: true).known == 1)
        #expect(try node.addSigned([count], of: .test) == 1)
        #expect(try node.recordSpend([spend], of: .test, replaces: false).new == 1)
        let ads = PostgreSQLWebAdLedger(none)
        try await ads.issue([], at: UnixMilliseconds(rawValue: TestDatabase.noon))
        let address = try PostgreSQLAddress(database.server.address(database.name, user: roles.reader))
        let reader = PostgreSQLLedgerReader(address, patience: .seconds(60))
        let answer = try await reader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 1)
        #expect(try await reader.costs(count.day...count.day).signed.values.reduce(0, +) == 31)
        #expect(throws: StoreError.self) { try PostgreSQLLedgerWriter(address).record([database.delivery(id: "b")]) }
        #expect(throws: (any Error).self) {
            try database.server.sql("DROP TABLE skan.postback", database: none.description)
        }
    }

    private static func signedCount() throws -> SignedImpressionCount {
        let line = """
            {"version":1,"writer":"68483ef6-0678-40df-859b-1b8f3f2d7b21","sequence":1,"from":"2026-11-21T10:05:00Z",\
            "to":"2026-11-21T10:06:00Z","network":"example123.skadnetwork","app":1,"campaign-id":12,"signed":31}
            """
        return try SignedImpressionCount(reading: Array(line.utf8))
    }

    @Test("A node that cannot count signed ads still records postbacks, and is ready")
    func costsFail() throws {
        let node = try database.node()
        let count = try Self.signedCount()
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
        try database.sql("ALTER TABLE skan.signed_impressions RENAME TO elsewhere")
        #expect(throws: StoreError.self) { try node.addSigned([count]) }
        #expect(node.health == .ready)
        #expect(try node.record([database.delivery(id: "b")]) == [.recorded(.test)])
        try database.sql("ALTER TABLE skan.elsewhere RENAME TO signed_impressions")
        #expect(try node.addSigned([count]) == 1)
    }

    @Test("While others import spend, a node counts signed ads, and an import that waits holds no reader back")
    func costsBusy() async throws {
        let (node, importing) = (try database.node(), try database.node())
        let other = try Psql(database.text)
        try other.run("BEGIN; SELECT pg_advisory_xact_lock(\(PostgreSQLLedgerWriter.costLock));")
        #expect(try node.addSigned([Self.signedCount()]) == 1)
        async let imported = blocking { try importing.recordSpend([], replaces: false) }
        // Which transactions wait, and the transaction ids that they have.
        let waiting = """
            SELECT count(*), count(held.pid) FROM pg_locks AS waits JOIN pg_database AS d ON d.oid = waits.database
                LEFT JOIN pg_locks AS held ON held.pid = waits.pid AND held.locktype = 'transactionid'
            WHERE NOT waits.granted AND d.datname = current_database()
            """
        let end = ContinuousClock.now + .seconds(60)
        while try database.sql(waiting) == "0|0", ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try database.sql(waiting) == "1|0")
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
        #expect(try await database.counts().totals[.postbacks] == 1)
        try other.run("ROLLBACK; SELECT 1;")
        #expect(try await imported == SpendRecording())
        #expect(node.health == .ready)
    }

    @Test(
        "A node whose clock is not the database's says so, and beyond an hour it records nothing",
        arguments: [(5_000, true), (-5_000, true), (3_700_000, false), (-34_560_000_000, false)])
    func clock(_ difference: Int64, _ records: Bool) throws {
        let node = try database.node()
        try database.sql(
            """
            CREATE OR REPLACE FUNCTION skan.clock() RETURNS int8 LANGUAGE sql VOLATILE PARALLEL SAFE
            RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 + (\(difference))
            """)
        node.heartbeat()
        #expect(node.health.reason?.contains("clock") == true)
        #expect(node.health.records == records)
    }

    @Test(
        "A node that lost the right to insert is not ready until it has it again, whether or not anybody posts",
        arguments: ["postback", "postback_body", "postback_key", "value", "delivery", "quarantine", "repeat_delay"])
    func revoked(_ table: String) throws {
        let (role, node) = try nodeWithoutInsert(on: table)
        defer { _ = try? database.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        for _ in 0..<3 {
            node.heartbeat()
            #expect(node.health.reason?.contains("permission denied") == true)
        }
        try database.sql("GRANT INSERT ON skan.\(table) TO \(role)")
        node.heartbeat()
        #expect(node.health == .ready)
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
        #expect(try database.sql("SELECT min(id) > 0, count(*) FROM skan.postback") == "t|1")
    }

    @Test("Keys that cannot be kept say nothing about postbacks")
    func keysNotKept() throws {
        let (role, node) = try nodeWithoutInsert(on: "apple_key")
        defer { _ = try? database.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        node.heartbeat()
        let key = AppleKeyRecord(
            name: "a", publicKey: [1], signer: .adAttributionKit(PostbackKeyID("k")), provenance: .apple,
            validity: AppleKeyRecord.always)
        #expect(throws: StoreError.self) { try node.keep([key]) }
        #expect(node.health == .ready)
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
    }

    /// A role that may not insert into a table, and a node as it.
    private func nodeWithoutInsert(on table: String) throws -> (role: String, PostgreSQLLedgerWriter) {
        try SchemaMigrator.migrate(database.address)
        let role = "revoked_\(database.name)"
        try database.sql(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT USAGE ON SCHEMA skan TO \(role);
            GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA skan TO \(role);
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA skan TO \(role);
            GRANT EXECUTE ON FUNCTION skan.make_partition(timestamptz) TO \(role);
            REVOKE INSERT ON skan.\(table) FROM \(role)
            """)
        let address = try PostgreSQLAddress(database.server.address(database.name, user: role))
        return (role, try PostgreSQLLedgerWriter(address))
    }

    @Test("A database without tables is refused when no store is to be made, and stays empty")
    func notMade() throws {
        let address = try database.address
        let settings = LedgerSettings(makesStore: false)
        #expect(throws: StoreError.emptyDatabase(path: address.description)) {
            try PostgreSQLLedgerWriter(address, settings: settings)
        }
        #expect(try SchemaMigrator.check(address) == .migrated(from: nil, to: 2))
        try SchemaMigrator.migrate(address)
        #expect(try PostgreSQLLedgerWriter(address, settings: settings).health == .ready)
    }

    /// Functions that raise an error, where the path of every session finds them before PostgreSQL's, and operators.
    private static let shadows = """
        CREATE SCHEMA other;
        CREATE FUNCTION other.refuse(int8, int8) RETURNS bool LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'not of PostgreSQL'; END $$;
        CREATE OPERATOR other.= (LEFTARG = int8, RIGHTARG = int8, FUNCTION = other.refuse);
        CREATE OPERATOR other.> (LEFTARG = int8, RIGHTARG = int8, FUNCTION = other.refuse);
        DO $$
        DECLARE shadow text;
        BEGIN
            FOREACH shadow IN ARRAY ARRAY[
                'now()', 'clock_timestamp()', 'max(int8)', 'pg_advisory_xact_lock(int8)',
                'pg_try_advisory_xact_lock(int8)', 'set_config(text, text, bool)', 'current_setting(text)',
                'octet_length(bytea)', 'array_to_string(text[], text)', 'pg_control_system()'
            ] LOOP
                EXECUTE format(
                    'CREATE FUNCTION other.%s RETURNS text LANGUAGE plpgsql AS %L', shadow,
                    'BEGIN RAISE EXCEPTION ''not of PostgreSQL''; END');
            END LOOP;
        END $$;
        """

    @Test("Nobody's functions and operators stand in for PostgreSQL's, whatever path sessions have")
    func shadowed() async throws {
        _ = try database.node().record([database.delivery(id: "a")])
        try database.sql(Self.shadows + "ALTER DATABASE \(database.name) SET search_path = other, pg_catalog")
        #expect(throws: PostgreSQLServer.Failure.self) { try database.sql("SELECT max(id) FROM skan.postback") }
        let node = try database.node()
        // With a text that has no code yet.
        let fresh = try database.delivery(id: "b", sourceIdentifier: "40")
        #expect(try node.record([database.delivery(id: "a"), fresh]) == [.duplicate(.test), .recorded(.test)])
        _ = try node.record([database.delivery(Array("{}".utf8))])
        for _ in 0..<2 { node.heartbeat() }
        #expect(node.health == .ready)
        #expect(try await database.counts().totals[.postbacks] == 2)
        #expect(try await database.differences() == [])
        #expect(try await database.reader().quarantine(QuarantineQuery()).count == 1)
        #expect(try SchemaMigrator.check(database.address) == .current)
    }

    @Test("Commits that reach one server alone are warned of once, and refused when that was asked for")
    func synchronous() throws {
        let events = Mutex<[String]>([])
        let node = try PostgreSQLLedgerWriter(database.address) { event in
            events.withLock { $0.append(event.message) }
        }
        node.heartbeat()
        node.heartbeat()
        #expect(events.withLock { $0.count { $0.contains("commits reach one server alone") } } == 1)
        let address = try database.address
        #expect(throws: StoreError.notSynchronous(path: address.description)) {
            try PostgreSQLLedgerWriter(address, requiresSynchronous: true)
        }
    }

    static let addresses: [(String, String?)] = [
        ("postgresql://u@h1:1,h2:2/d?target_session_attrs=any&sslmode=verify-full", "postgresql://h1:1,h2:2/d"),
        ("postgresql:///d?host=/run/x&application_name=secret", "postgresql:///run/x/d"),
        ("postgres://h/d?passfile=/etc/secret", "postgresql://h/d"), ("postgresql://u:secret@h/d", nil),
        ("postgresql://h/d?password=secret", nil), ("postgresql://h/d?no-such-secret=1", nil),
    ]

    @Test("An address is named without anything secret, and one with a password is refused", arguments: addresses)
    func address(_ text: String, _ description: String?) throws {
        guard let description else {
            let problem = #expect(throws: StoreError.self) { try PostgreSQLAddress(text) }
            #expect(problem.map { !$0.description.contains("secret") } == true)
            return
        }
        #expect(try PostgreSQLAddress(text).description == description)
    }
}
