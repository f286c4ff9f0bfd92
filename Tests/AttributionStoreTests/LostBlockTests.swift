import Attribution
import AttributionSigning
import AttributionStore
import SQLiteStore
import Testing

@Suite("The last rows and bodies of a store, lost while the blocks that have them are whole")
struct LostBlockTests {
    let store: TemporaryStore
    let many: ManyPostbacks

    init() throws {
        store = try TemporaryStore()
        many = try ManyPostbacks(ManyPostbacks.block)
        let ledger = try OpenLedger(store.path)
        for start in stride(from: 0, to: many.deliveries.count, by: 1_024) {
            #expect(
                try ledger.record(Array(many.deliveries[start..<(start + 1_024)])).allSatisfy {
                    $0 == .recorded(.test)
                })
        }
        try ledger.close()
    }

    private func lose() throws {
        try SQLite.execute(
            "DELETE FROM postback WHERE id >= 4090; DELETE FROM postback_body WHERE id >= 4090", store.path)
    }

    private func blocks() throws -> String {
        try SQLite.query("SELECT id, checksum FROM column_block ORDER BY id", store.path)
    }

    private func repair() async throws -> RecountRepair {
        try await store.repair(by: ManyPostbacks.postbacks().verifier)
    }

    private func expectNamed(_ recount: Recount, sourceLocation: SourceLocation = #_sourceLocation) {
        let named = recount.differences.map(\.description)
        #expect(named.count == 7, "\(named)", sourceLocation: sourceLocation)
        for (id, line) in zip(4_090..., named) {
            let start =
                "postback \(id): its row is missing, and so are its bytes; a backup may have both; "
                + "its columns say test, \((id - 1) % 5 == 0 ? "developer" : "network"), quarter "
            #expect(line.hasPrefix(start), "\(line)", sourceLocation: sourceLocation)
        }
    }

    @Test("Recount names each with what its block says, a repair keeps the block, and reports count them")
    func named() async throws {
        let before = try blocks()
        try lose()
        for _ in 0..<2 {
            let repair = try await repair()
            expectNamed(repair.found)
            expectNamed(repair.remaining)
            #expect(try blocks() == before)
        }
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        try await reader.expectExact(many, LedgerQuestion(dimensions: [.app]))
    }

    @Test("They are proven by the columns that are left of a block", arguments: [0, 2, 12])
    func damagedColumn(_ column: Int) async throws {
        try lose()
        try SQLite.execute("UPDATE column_block SET checksum = checksum + 1 WHERE id = \(column)", store.path)
        let missing = try await repair().remaining.differences.count {
            if case .missingRow = $0 { true } else { false }
        }
        #expect(missing == 7)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([many.deliveries[4_095]]) == [.conflict(.test)])
    }

    @Test(
        "An owner gives their ids to no others and counts no copy of them, before a repair and after",
        arguments: [true, false])
    func recorded(isRepaired: Bool) async throws {
        let before = try blocks()
        try lose()
        if isRepaired {
            _ = try await repair()
        }
        let ledger = try OpenLedger(store.path)
        let copies = try ledger.record(Array(many.deliveries[4_089...]))
        #expect(copies == Array(repeating: .conflict(.test), count: 7))
        let other = try #require(try ManyPostbacks.others().first)
        #expect(try ledger.record([other, other]) == [.recorded(.test), .duplicate(.test)])
        #expect(try SQLite.query("SELECT id FROM postback WHERE id > 4089", store.path) == "4097")
        try ledger.close()
        expectNamed(try await repair().remaining)
        #expect(try blocks() == before)
    }

    @Test("Tables of columns that are made anew keep what they alone have of postbacks", arguments: [true, false])
    func damagedTable(isRecordedBehind: Bool) async throws {
        let before = try blocks()
        try lose()
        if isRecordedBehind {
            let ledger = try OpenLedger(store.path)
            #expect(try ledger.record(Array(ManyPostbacks.others().prefix(1))) == [.recorded(.test)])
            try ledger.close()
        }
        try SQLite.execute("DROP INDEX column_block_highest", store.path)
        for _ in 0..<2 {
            expectNamed(try await repair().remaining)
            #expect(try blocks() == before)
        }
        try await expectCounted(isRecordedBehind ? 4_097 : 4_096)
    }

    @Test(
        "An owner that starts makes only what is missing of them, and copies no columns",
        arguments: [("DROP INDEX column_block_highest", 4_096), ("DROP TABLE column_value", 4_089)])
    func damagedTableOfOwner(_ damage: String, _ count: Int64) async throws {
        let before = try blocks()
        try lose()
        try SQLite.execute(damage, store.path)
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'column_block'"
        let page = try SQLite.query(root, store.path)
        try await expectCounted(count)
        #expect(try blocks() == before)
        #expect(try SQLite.query(root, store.path) == page)
        let made = "SELECT count(*) FROM sqlite_schema WHERE name IN ('column_block_highest', 'column_value')"
        #expect(try SQLite.query(made, store.path) == "2")
    }

    @Test("A lost postback with a code whose text is lost is not counted, instead of being counted without a value")
    func lostText() async throws {
        try lose()
        guard case .verified(let verified) = many.deliveries[4_095].judgement else {
            throw CancellationError()
        }
        let app = ReportDimension.app.value(of: verified.postback)
        #expect(Int64(app) != nil)
        try SQLite.execute(
            """
            DELETE FROM column_value WHERE column_number = 3 AND value = '\(app)'; DROP INDEX column_block_highest
            """, store.path)
        for _ in 0..<2 {
            let remaining = try await repair().remaining.differences
            #expect(remaining.count == 7)
            let reader = try SQLiteLedgerReader(store.path)
            defer { reader.close() }
            let answer = try await reader.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
            let expected = many.rows(LedgerQuestion(dimensions: [.app]))
            #expect(answer.unreadableCount > 0)
            #expect(answer.totals[.postbacks] == 4_096 - Int64(answer.unreadableCount))
            #expect(answer.rows.allSatisfy { $0.counts[.postbacks] <= expected[$0.values]?[.postbacks] ?? 0 })
        }
    }

    @Test("Without the texts of codes a block still tells that its postbacks came")
    func damagedTexts() async throws {
        try lose()
        try SQLite.execute("DROP TABLE column_value", store.path)
        let remaining = try await repair().remaining.differences
        #expect(remaining.count == 7 && remaining.allSatisfy { if case .missingRow = $0 { true } else { false } })
        try await expectCounted(4_089)
    }

    /// Expects that an owner counts no copy of a postback that is lost.
    private func expectCounted(_ count: Int64) async throws {
        let ledger = try OpenLedger(store.path)
        let copies = try ledger.record(Array(many.deliveries[4_089...]))
        #expect(copies == Array(repeating: .conflict(.test), count: 7))
        #expect(try await ledger.totals()[.postbacks] == count)
        try ledger.close()
    }
}
