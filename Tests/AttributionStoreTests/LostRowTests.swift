import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Rows and copies that are lost beside whole bodies")
struct LostRowTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func delivery(_ id: String, _ recipient: Delivery.Recipient = .network, at time: Int64 = Postbacks.noon)
        throws -> Delivery
    {
        let body = try postbacks.standIn.sign(postbacks.draft(id: id))
        return Delivery(judgement: postbacks.verifier.judge(body), recipient: recipient, receivedAtMilliseconds: time)
    }

    /// Records some postbacks, one at each of some times, and closes the store.
    private func fill(_ count: Int, _ recipient: (Int) -> Delivery.Recipient = { _ in .network }, every: Int64 = 0)
        throws
    {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(
            try (0..<count).map {
                try delivery("\($0)", recipient($0), at: Postbacks.noon + Int64($0) * every)
            })
        try ledger.close()
    }

    /// Records postbacks in some batches, and closes the store.
    private func fill(_ many: ManyPostbacks) throws {
        let ledger = try OpenLedger(store.path)
        for start in stride(from: 0, to: many.deliveries.count, by: 1_000) {
            let batch = Array(many.deliveries[start..<min(start + 1_000, many.deliveries.count)])
            #expect(try ledger.record(batch).allSatisfy { $0 == .recorded(.test) })
        }
        try ledger.close()
    }

    private func repair() async throws -> RecountRepair {
        let verifier = postbacks.verifier
        return try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
    }

    private func counts() async throws -> [String] {
        let ledger = try OpenLedger(store.path)
        defer { _ = try? ledger.close() }
        let answer = try await ledger.answer(
            LedgerQuestion(dimensions: [.hour, .app, .recipient], traffic: .test, calendar: utcDays))
        return answer.rows.map { row in "\(row.values) \(row.counts[.postbacks])" }.sorted()
    }

    @Test("Rows whose postbacks are in a block are rebuilt with what its columns say")
    func inBlock() async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 10)
        let verifier = try ManyPostbacks.postbacks().verifier
        try fill(many)
        let before = try await counts()
        try SQLite.execute("DELETE FROM postback WHERE id IN (1, 2, 77, 4000, 4096)", store.path)
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        #expect(repair.found.differences.count { if case .lostRow = $0 { true } else { false } } == 5)
        #expect(repair.found.differenceCount == 5 && repair.remaining.differences == [])
        #expect(try await counts() == before)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record(many.deliveries).allSatisfy { $0 == .duplicate(.test) })
    }

    @Test("Rows on a damaged page are rebuilt from columns before those are recreated for a damaged page of their own")
    func besideDamagedColumns() async throws {
        let many = try ManyPostbacks()
        let verifier = try ManyPostbacks.postbacks().verifier
        try fill(many)
        let before = try await counts()
        try SQLite.garble("postback", store.path, offset: 2)
        // Of the last block.
        try SQLite.garble("column_block", store.path, isLast: true)
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        #expect(Set(repair.found.differences).isSuperset(of: [.tables(.postbacks), .tables(.columns)]))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await counts() == before)
    }

    @Test("More lost rows than are listed are counted, and all are rebuilt")
    func beyondList() async throws {
        let many = try ManyPostbacks(3 * ManyPostbacks.block + 3)
        let verifier = try ManyPostbacks.postbacks().verifier
        try fill(many)
        let before = try await counts()
        try SQLite.execute("DELETE FROM postback WHERE id <= 11000", store.path)
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        #expect(repair.found.differenceCount == 11_000 && repair.found.differences.count == 10_000)
        #expect(repair.remaining.differences == [] && repair.repaired == 11_000)
        #expect(try await counts() == before)
    }

    @Test(
        "Rows that are in no block are rebuilt where the counts of deliveries leave no choice",
        arguments: ["id IN (3, 5)", "id > 7", "id = 1", "id > 0"])
    func inNoBlock(_ rows: String) async throws {
        try fill(9)
        let before = try await counts()
        try SQLite.execute("DELETE FROM postback WHERE \(rows)", store.path)
        let repair = try await repair()
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await counts() == before)
        let ledger = try OpenLedger(store.path)
        #expect(
            try ledger.record([delivery("2"), delivery("8"), delivery("new")]) == [
                .duplicate(.test), .duplicate(.test), .recorded(.test),
            ])
    }

    @Test("When and for whom they came is not guessed: what is lost is named")
    func ambiguous() async throws {
        try fill(9, { $0 % 2 == 0 ? .network : .developer })
        try SQLite.execute("DELETE FROM postback WHERE id IN (3, 4); DELETE FROM postback WHERE id = 6", store.path)
        try SQLite.execute("DELETE FROM postback_body WHERE id = 6", store.path)
        let remaining = try await repair().remaining.differences.map(\.description).sorted()
        #expect(remaining.count == 3, "\(remaining)")
        #expect(remaining.prefix(2).allSatisfy { $0.contains("nothing says when and for whom its bytes came") })
        #expect(remaining.last?.contains("and so are its bytes; a backup may have both") == true)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("new")]) == [.recorded(.test)])
    }

    @Test("A damaged page of rows is replaced: those on other pages stay, and those on it are rebuilt")
    func damagedPage() async throws {
        try fill(400)
        let before = try await counts()
        try SQLite.garble("postback", store.path, offset: 2)
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.postbacks)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await counts() == before)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record(try (0..<400).map { try delivery("\($0)") }).allSatisfy { $0 == .duplicate(.test) })
    }

    @Test("Of a table of rows that one damaged page makes empty, what is in a block is rebuilt, and the rest named")
    func emptiedTable() async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 10)
        let verifier = try ManyPostbacks.postbacks().verifier
        try fill(many)
        let root = try #require(
            Int(SQLite.query("SELECT rootpage FROM sqlite_schema WHERE name = 'postback'", store.path)))
        let size = try #require(Int(SQLite.query("PRAGMA page_size", store.path)))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: store.path))
        try file.seek(toOffset: UInt64((root - 1) * size))
        // A leaf without rows.
        try file.write(contentsOf: [0x0D, 0, 0, 0, 0, UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF), 0])
        try file.close()
        #expect(try SQLite.query("SELECT count(*) FROM postback", store.path) == "0")
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        #expect(repair.found.differenceCount > ManyPostbacks.block)
        #expect(try SQLite.query("SELECT count(*) FROM postback", store.path) == "\(ManyPostbacks.block)")
        #expect(repair.remaining.differences.count == 10)
        for (index, difference) in repair.remaining.differences.enumerated() {
            let words = difference.description
            #expect(words.hasPrefix("postback \(ManyPostbacks.block + 1 + index): its row is missing"), "\(words)")
        }
    }

    @Test("A row with one value that cannot be is kept beside a damaged page, as it is")
    func strangeRow() async throws {
        try fill(400)
        try SQLite.execute(
            "PRAGMA ignore_check_constraints = ON; UPDATE postback SET traffic = 'strange' WHERE id = 399", store.path)
        #expect(try await repair().found.differences.contains(.tables(.postbacks)) == false)
        try SQLite.garble("postback", store.path, offset: 2)
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.postbacks)))
        #expect(repair.remaining.differences.allSatisfy { !$0.isRepairable })
        #expect(try SQLite.query("SELECT received_at FROM postback WHERE id = 399", store.path) == "\(Postbacks.noon)")
    }

    @Test("An owner replaces a damaged page of rows while it records")
    func damagedPageOfOwner() async throws {
        try fill(400)
        try SQLite.garble("postback", store.path, offset: 2)
        let ledger = try OpenLedger(store.path)
        let verifier = postbacks.verifier
        let repair = try await ledger.writer.repair { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try ledger.record([delivery("3"), delivery("new")]) == [.duplicate(.test), .recorded(.test)])
        #expect(try await ledger.totals()[.postbacks] == 401)
    }

    @Test("An owner of many postbacks refuses to replace their rows while it records, and changes nothing")
    func manyOfOwner() async throws {
        try fill(400)
        try SQLite.garble("postback", store.path, offset: 2)
        let ledger = try OpenLedger(store.path)
        let verifier = postbacks.verifier
        let found = try await ledger.differences(verifier)
        await #expect(throws: StoreError.longRepair(path: ledger.writer.path, postbacks: 400)) {
            try await ledger.writer.repair(mostPostbacks: 399) { verifier.judge($0) }
        }
        #expect(try await ledger.differences(verifier) == found)
        #expect(try ledger.record([delivery("new")]) == [.recorded(.test)])
        let repair = try await ledger.writer.repair(mostPostbacks: 401) { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
    }

    // MARK: Copies for other recipients

    /// A store with a copy of each postback for another recipient, on several pages.
    private func fillCopies(_ count: Int = 900) throws {
        try fill(count)
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<count).map { try delivery("\($0)", .developer) })
        try ledger.close()
    }

    @Test(
        "Damaged copies for other recipients cost no delivery, and a repair keeps those that can be read",
        arguments: [false, true])
    func copies(_ isRoot: Bool) async throws {
        try fillCopies()
        try isRoot
            ? SQLite.garbleRoot("recipient_copy", store.path) : SQLite.garble("recipient_copy", store.path, offset: 1)
        do {
            let ledger = try OpenLedger(store.path)
            let answers = try ledger.record([
                delivery("new"), delivery("150", .developer), delivery("new", .developer), delivery("3"),
            ])
            #expect(answers == [.recorded(.test), .duplicate(.test), .duplicate(.test), .duplicate(.test)])
            #expect(ledger.writer.health == .ready)
            #expect(try await ledger.deliveries().areIncomplete)
            try ledger.close()
        }
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.recipientCopies)))
        #expect(repair.remaining.differences.map(\.description) == [])
        let ledger = try OpenLedger(store.path)
        let counts = try await ledger.deliveries()
        #expect(!counts.areIncomplete && counts.count(.recorded, .test) == 901)
        #expect(isRoot ? counts.otherRecipients == 0 : (300..<901).contains(counts.otherRecipients))
        #expect(
            try ledger.record([delivery("new", .developer), delivery("5", .developer)]) == [
                .duplicate(.test), .duplicate(.test),
            ])
    }

    @Test("A store whose copies for other recipients are damaged is copied without them, and that is said")
    func copied() async throws {
        try fillCopies()
        try SQLite.garble("recipient_copy", store.path, offset: 1)
        let target = try SQLiteLedgerWriter(path: store.path + "-copy")
        func copy() async throws -> LedgerCopier.Summary {
            let source = try SQLiteLedgerReader(store.path)
            defer { source.close() }
            return try await LedgerCopier(from: source, to: target, named: "target").run()
        }
        let summary = try await copy()
        #expect(summary.all == 900 && summary.lost == 0 && summary.areCopiesIncomplete && !summary.areCountsIncomplete)
        let reader = try target.makeReader()
        let kept = try await reader.answer(LedgerQuestion(traffic: .test)).deliveries.otherRecipients
        #expect((300..<900).contains(kept))
        // What is left is whole, and says so.
        #expect(try await repair().remaining.differences == [])
        #expect(try await !copy().areCopiesIncomplete)
    }
}
