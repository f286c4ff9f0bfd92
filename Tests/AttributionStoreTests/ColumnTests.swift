import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

// Serialized, because each test keeps a processor busy and other tests measure time.
@Suite("Counting from columns", .serialized)
final class ColumnTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try ManyPostbacks.postbacks()
        store = try TemporaryStore()
    }

    /// A store with two full blocks and a partial one, recorded in batches that cross block boundaries.
    private func fill() throws -> (ledger: OpenLedger, many: ManyPostbacks) {
        try Self.filled.get().write(to: URL(fileURLWithPath: store.path))
        return (try OpenLedger(store.path), try ManyPostbacks())
    }

    /// The store's file, created once for all tests.
    private static let filled = Result {
        let many = try ManyPostbacks()
        let store = try TemporaryStore()
        let ledger = try OpenLedger(store.path)
        for start in stride(from: 0, to: many.deliveries.count, by: 700) {
            let batch = Array(many.deliveries[start..<min(start + 700, many.deliveries.count)])
            #expect(try ledger.record(batch).allSatisfy { $0 == .recorded(.test) })
        }
        try ledger.close()
        return try Data(contentsOf: URL(fileURLWithPath: store.path))
    }

    // MARK: Damage

    /// Damage to columns, none of which changes a report, because it is counted from the bytes.
    static let damages = [
        "UPDATE column_block SET offsets = x'00' WHERE id = 64 + 3", "DELETE FROM column_block WHERE id / 64 = 0",
        "UPDATE column_block SET highest = 70000 WHERE id % 64 = 3", "UPDATE column_block SET rules = 99",
        """
        UPDATE column_block SET (lowest, highest, offsets, checksum) = (
            SELECT lowest, highest, offsets, checksum FROM column_block AS other WHERE other.id = column_block.id + 64)
        WHERE id / 64 = 0
        """,
        "DELETE FROM column_value WHERE (column_number, code) = (0, 1)",
        "UPDATE column_value SET value = 'netwovk' WHERE column_number = 11 AND value = 'network'",
        "DELETE FROM column_value",
        "UPDATE column_value SET code = code + 4000000000 WHERE column_number = 5 AND code = 3",
    ]

    @Test("Damaged columns are counted from the bytes, reported, and repaired", arguments: damages)
    func damage(_ damage: String) async throws {
        let (filled, many) = try fill()
        try filled.close()
        try SQLite.execute(damage, store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let questions = [
            LedgerQuestion(dimensions: [.app, .sourceApp], calendar: utcDays),
            LedgerQuestion(dimensions: [.day, .sourceIdentifier, .version], calendar: utcDays),
        ]
        for question in questions {
            try await reader.expectExact(many, question)
        }
        let verifier = postbacks.verifier
        let found = try await reader.recount { verifier.judge($0) }.differences.map(\.description)
        #expect(found.contains { $0.hasPrefix("the columns of postbacks ") }, "\(found)")
        reader.close()
        // An owner starts, and counts nothing twice.
        let owner = try OpenLedger(store.path)
        let fresh = try ManyPostbacks.others()
        #expect(try owner.record(fresh).allSatisfy { $0 == .recorded(.test) })
        #expect(try owner.record(many.deliveries).allSatisfy { $0 == .duplicate(.test) })
        let repair = try await owner.writer.repair { verifier.judge($0) }
        #expect(repair.remaining.differences == [])
        for question in questions {
            var question = question
            question.traffic = .test
            let answer = try await owner.answer(question)
            #expect(answer.damaged.isEmpty)
            #expect(answer.totals[.postbacks] == Int64(many.deliveries.count + fresh.count))
        }
    }

    @Test("Dropped tables are made again", arguments: ["column_value", "column_block", "quarantine_total"])
    func droppedTable(_ table: String) async throws {
        let (filled, many) = try fill()
        try filled.close()
        let drop = "DROP TABLE \(table)"
        try SQLite.execute(drop, store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let verifier = postbacks.verifier
        let error = StoreError.failed(path: reader.path, .damaged)
        await #expect(throws: error) { try await reader.recount { verifier.judge($0) } }
        if table == "quarantine_total" {
            try await reader.expectExact(many, LedgerQuestion(dimensions: [.app]))
        } else {
            await #expect(throws: error) { try await reader.answer(LedgerQuestion(dimensions: [.app])) }
        }
        reader.close()
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
        #expect(try await store.repair(by: verifier).remaining.differences == [])
        let owner = try OpenLedger(store.path)
        try await owner.reader.expectExact(many, LedgerQuestion(dimensions: [.app, .sourceApp]))
        #expect(try owner.record([postbacks.delivery(postbacks.draft(id: "one more"))]) == [.recorded(.test)])
    }

    @Test(
        "Whatever dimensions are asked for, with and without a period, what is counted is what was recorded",
        arguments: [
            [], [.app, .sourceApp], [.day], [.hour, .month, .sourceIdentifier], [.week, .conversionValue, .country],
            [.network, .version, .fidelity, .recipient], [.installDays, .installDayEstimate, .sequenceIndex, .version],
        ] as [[ReportDimension]])
    func combinations(_ dimensions: [ReportDimension]) async throws {
        let (filled, many) = try fill()
        try filled.close()
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        var question = LedgerQuestion(dimensions: dimensions, calendar: utcDays)
        try await reader.expectExact(many, question)
        question.received = (Postbacks.noon - 30 * 86_400_000)..<(Postbacks.noon - 86_400_000)
        try await reader.expectExact(many, question)
        question.traffic = .test
        question.limits.cells = 1
        guard !dimensions.isEmpty else {
            return
        }
        await #expect(throws: LedgerQuestionError.tooManyCells(limit: 1)) { try await reader.answer(question) }
    }

    @Test("If a postback's bytes are lost and its block is damaged, it is not counted, and answers say so")
    func lostColumn() async throws {
        let (filled, many) = try fill()
        try filled.close()
        try SQLite.execute(
            """
            UPDATE postback_body SET body = x'7B' WHERE id = 8;
            UPDATE column_block SET checksum = 0 WHERE id = 6
            """, store.path)
        let verifier = postbacks.verifier
        for _ in 0..<2 {
            _ = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
            let answer = try await SQLiteLedgerReader(store.path).answer(LedgerQuestion(traffic: .test))
            #expect(answer.totals[.postbacks] == Int64(many.deliveries.count - 1))
            #expect(answer.unreadableCount == 1)
        }
    }

    @Test("An unreadable postback is not counted, and the answer says so")
    func unreadable() async throws {
        let (ledger, many) = try fill()
        try SQLite.execute("UPDATE postback_body SET body = x'7B' WHERE id = 8400", store.path)
        let answer = try await ledger.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(answer.unreadableCount == 1)
        #expect(answer.totals[.postbacks] == Int64(many.deliveries.count - 1))
    }

    @Test("A byte that was changed in a body that is in no block yet is not counted as if it were true")
    func changedByte() async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(["a", "b"].map { try postbacks.delivery(postbacks.draft(id: $0)) })
        for (text, other) in [(#":1,"#, #":0,"#), ("525463029", "525463028")] {
            let body = try SQLite.query("SELECT hex(body) FROM postback_body WHERE id = 1", store.path)
            try SQLite.execute(
                """
                UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '\(text)', '\(other)') AS BLOB)
                WHERE id = 1
                """, store.path)
            let answer = try await ledger.answer(LedgerQuestion(dimensions: [.network], traffic: .test))
            #expect(answer.totals[.postbacks] == 1 && answer.unreadableCount == 1)
            try SQLite.execute("UPDATE postback_body SET body = x'\(body)' WHERE id = 1", store.path)
            #expect(try await ledger.answer(LedgerQuestion(traffic: .test)).totals[.postbacks] == 2)
        }
    }

    @Test("A block without its bodies keeps its values, and recount reports it")
    func lostBodies() async throws {
        let (ledger, many) = try fill()
        try SQLite.execute("DELETE FROM postback_body WHERE id = 17", store.path)
        try await ledger.reader.expectExact(many, LedgerQuestion(dimensions: [.app]))
        try SQLite.execute("UPDATE column_block SET checksum = 0 WHERE id = 3", store.path)
        let answer = try await ledger.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(answer.damaged == [1...4_096])
        #expect(answer.totals[.postbacks] == Int64(many.deliveries.count - 1))
    }

    @Test("A transaction that fails at the end of a block leaves nothing behind and loses no code")
    func failedTransactions() async throws {
        let many = try ManyPostbacks(2 * ManyPostbacks.block + 50)
        let ledger = try OpenLedger(store.path)
        // A deferred foreign key violation is detected only by COMMIT.
        let trap = { (id: Int) in
            "CREATE TABLE IF NOT EXISTS trap (row INTEGER REFERENCES postback (id) DEFERRABLE INITIALLY DEFERRED);"
                + "CREATE TRIGGER late AFTER INSERT ON postback WHEN new.id = \(id) "
                + "BEGIN INSERT INTO trap VALUES (-5); END"
        }
        var recorded = 0
        for (end, trapped) in [(4_000, 3_990), (4_200, 4_100), (8_190, 8_190), (8_242, 8_200)] {
            try SQLite.execute(trap(trapped), store.path)
            let batch = Array(many.deliveries[recorded..<end])
            for _ in 0..<3 {
                #expect(throws: (any Error).self) { try ledger.record(batch) }
            }
            try SQLite.execute("DROP TRIGGER late", store.path)
            // Another postback's texts take the codes.
            #expect(try ledger.record(batch.reversed()).allSatisfy { $0 == .recorded(.test) })
            recorded = end
        }
        try await ledger.reader.expectExact(many, LedgerQuestion(dimensions: [.app, .sourceApp, .campaignID]))
        #expect(try await ledger.differences(postbacks.verifier) == [])
        try ledger.close()
        let next = try OpenLedger(store.path)
        #expect(try next.record(many.deliveries).allSatisfy { $0 == .duplicate(.test) })
        try await next.reader.expectExact(many, LedgerQuestion(dimensions: [.day, .sourceApp], calendar: utcDays))
    }

    @Test("One batch larger than a block, and batches of one")
    func batches() async throws {
        let many = try ManyPostbacks(3 * ManyPostbacks.block + 3)
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(Array(many.deliveries.prefix(ManyPostbacks.block - 1)))
        for delivery in many.deliveries[(ManyPostbacks.block - 1)..<(ManyPostbacks.block + 2)] {
            _ = try ledger.record([delivery])
        }
        _ = try ledger.record(Array(many.deliveries.dropFirst(ManyPostbacks.block + 2)))
        try await ledger.reader.expectExact(many, LedgerQuestion(dimensions: [.app, .version]))
        #expect(try await ledger.differences(postbacks.verifier) == [])
    }
}
