import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import CodedErrors
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

    private func repair(_ verifier: PostbackVerifier? = nil) async throws -> RecountRepair {
        try await store.repair(by: verifier ?? postbacks.verifier)
    }

    /// The rows of all postbacks, as they are stored.
    private func rows() throws -> String {
        try SQLite.query(
            """
            SELECT id, recorded_at, received_at, recipient, traffic, key_name, digest_version, hex(key_digest),
            hex(content_digest) FROM postback
            """, store.path)
    }

    /// The counts of deliveries, as they are stored.
    private func deliveries() throws -> String {
        try SQLite.query("SELECT * FROM delivery ORDER BY quarter, status, traffic, reason, recipient", store.path)
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

    @Test("When and for whom they came is not guessed: what several counts can be of is named, and the counts stay")
    func ambiguous() async throws {
        try fill(9, { $0 % 2 == 0 ? .network : .developer })
        let counted = try deliveries()
        try SQLite.execute(
            "DELETE FROM postback WHERE id IN (3, 4, 6); DELETE FROM postback_body WHERE id = 6", store.path)
        let repair = try await repair()
        #expect(repair.found.lostRows == [])
        #expect(
            repair.remaining.differences.map(\.description).sorted() == [
                "postback 3: its row is missing, and nothing says when its bytes came; a backup may have it",
                "postback 4: its row is missing, and nothing says when its bytes came; a backup may have it",
                "postback 6: its row is missing, and so are its bytes; a backup may have both",
            ])
        #expect(try deliveries() == counted)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("new")]) == [.recorded(.test)])
        #expect(try await ledger.totals()[.postbacks] == 7)
    }

    /// A quarter of an hour.
    static let quarter: Int64 = 900_000

    @Test("A row whose bytes are lost, too, keeps its delivery, and no other row gets it")
    func besideGone() async throws {
        try fill(9, every: Self.quarter)
        let (before, counted) = try (rows(), deliveries())
        try SQLite.execute("DELETE FROM postback WHERE id IN (3, 8)", store.path)
        try SQLite.execute("DELETE FROM postback_body WHERE id = 3", store.path)
        let repair = try await repair()
        #expect(repair.found.lostRows.map(\.id) == [8])
        #expect(
            repair.remaining.differences.map(\.description) == [
                "postback 3: its row is missing, and so are its bytes; a backup may have both"
            ])
        let lines = before.split(separator: "\n").filter { !$0.hasPrefix("3|") }
        #expect(try rows().split(separator: "\n") == lines)
        #expect(try deliveries() == counted)
    }

    @Test("Rows that did not come in the order of their ids, as imported ones, are named")
    func outOfOrder() async throws {
        try fill(9, every: -Self.quarter)
        let counted = try deliveries()
        try SQLite.execute("DELETE FROM postback WHERE id IN (3, 8)", store.path)
        let repair = try await repair()
        #expect(repair.found.lostRows == [])
        #expect(repair.remaining.differenceCount == 2 && repair.repaired == 0)
        #expect(try deliveries() == counted)
    }

    @Test("A lost row gets no delivery while another count is wrong")
    func wrongCount() async throws {
        try fill(9, every: Self.quarter)
        try SQLite.execute(
            """
            DELETE FROM postback WHERE id = 3;
            UPDATE delivery SET count = 3 WHERE quarter = (SELECT max(quarter) FROM delivery)
            """, store.path)
        let repair = try await repair()
        #expect(repair.found.lostRows == [])
        #expect(
            repair.remaining.differences.map(\.description).sorted() == [
                "2 postbacks were counted as recorded, and no rows are left; a backup may have them",
                "postback 3: its row is missing, and nothing says when its bytes came; a backup may have it",
            ])
    }

    @Test("A repair without the key of lost rows leaves the counts from which one with it rebuilds them")
    func withoutKey() async throws {
        try fill(9, every: Self.quarter)
        let (before, counted) = try (rows(), deliveries())
        try SQLite.execute("DELETE FROM postback WHERE id IN (3, 9)", store.path)
        let first = try await repair(try PostbackVerifier())
        #expect(
            first.remaining.differences.map(\.description) == [
                "postback 3: its row is missing, and its bytes do not verify with the keys named",
                "postback 9: its row is missing, and its bytes do not verify with the keys named",
            ])
        #expect(try deliveries() == counted)
        #expect(try await repair().remaining.differences == [])
        #expect(try rows() == before)
        #expect(try deliveries() == counted)
    }

    @Test("A repair without the key of lost rows leaves damaged columns from which one with it rebuilds them")
    func columnsWithoutKey() async throws {
        let many = try ManyPostbacks()
        let verifier = try ManyPostbacks.postbacks().verifier
        try fill(many)
        let before = try await counts()
        try SQLite.execute("DELETE FROM postback WHERE id = 77", store.path)
        // Of the last block.
        try SQLite.garble("column_block", store.path, isLast: true)
        let first = try await repair(try PostbackVerifier())
        #expect(first.remaining.differences.contains(.tables(.columns)))
        let second = try await repair(verifier)
        #expect(second.found.lostRows.map(\.source) == [.columns])
        #expect(second.remaining.differences.map(\.description) == [])
        #expect(try await counts() == before)
    }

    @Test("Of a store without any row or body a damaged table of counts is not replaced by an empty one")
    func nothingLeftAndDamagedCounts() async throws {
        try fillCopies(9)
        try SQLite.execute("DELETE FROM postback; DELETE FROM postback_body", store.path)
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'delivery'"
        let before = try SQLite.query(root, store.path)
        try SQLite.garbleRoot("delivery", store.path)
        #expect(try await repair().remaining.differences.contains(.tables(.deliveryCounts)))
        #expect(try SQLite.query(root, store.path) == before)
    }

    @Test("Of a store without any row or body the counts and copies stay, and a repair says what is lost")
    func nothingLeft() async throws {
        try fillCopies(9)
        let counted = try deliveries()
        try SQLite.execute("DELETE FROM postback; DELETE FROM postback_body", store.path)
        let repair = try await repair()
        #expect(repair.repaired == 0)
        #expect(
            repair.remaining.differences.map(\.description) == [
                "no postback is left, and 9 were counted as recorded; a backup may have them"
            ])
        #expect(try deliveries() == counted)
        #expect(try SQLite.query("SELECT count(*) FROM recipient_copy", store.path) == "9")
    }

    @Test("A row that is found gets the key that verifies it, and no time of recording that the others rule out")
    func foundRow() async throws {
        try fill(400)
        let before = try rows()
        try SQLite.execute(
            """
            UPDATE postback SET recorded_at = recorded_at + 1000000, key_name = '?' || substr(key_name, 2)
            WHERE id = 150
            """, store.path)
        var bytes = try StoreBytes(store.path)
        try bytes.change(id: 150, to: 8_342, in: "postback")
        try bytes.save()
        let repair = try await repair()
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try rows() == before)
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

    @Test("Of a table of rows that one damaged page makes empty, every row is put back as it was")
    func emptiedTable() async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 10)
        let verifier = try ManyPostbacks.postbacks().verifier
        try fill(many)
        let before = try rows()
        var bytes = try StoreBytes(store.path)
        bytes.empty(try bytes.root("postback"))
        try bytes.save()
        #expect(try SQLite.query("SELECT count(*) FROM postback", store.path) == "0")
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        #expect(repair.found.differenceCount > ManyPostbacks.block)
        #expect(repair.found.lostRows.allSatisfy { $0.source == .row })
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try rows() == before)
    }

    /// Ids, the newest one being 400, and what a changed bit or two make of them.
    static let changedIDs: [(id: Int, other: Int)] = [
        (150, 8_342), (150, 214), (150, 151), (150, 134), (151, 150), (400, 401), (400, 1_424),
    ]

    @Test(
        "A row whose id damage changed is put back under its own, and hides no other",
        arguments: changedIDs, [false, true])
    func changedID(_ change: (id: Int, other: Int), hasOwner: Bool) async throws {
        try fill(400, { $0 % 3 == 0 ? .developer : .network }, every: 70_000)
        let before = try rows()
        var bytes = try StoreBytes(store.path)
        try bytes.change(id: change.id, to: change.other, in: "postback")
        try bytes.save()
        #expect(try rows() != before)
        if hasOwner, change.id < 400 {
            let ledger = try OpenLedger(store.path)
            let verifier = postbacks.verifier
            #expect(try await ledger.writer.repair { verifier.judge($0) }.remaining.differences == [])
            #expect(try ledger.record([delivery("149"), delivery("150")]) == [.duplicate(.test), .duplicate(.test)])
            try ledger.close()
        }
        let repair = try await repair()
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try rows() == before)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record(try (0..<400).map { try delivery("\($0)") }).allSatisfy { $0 == .duplicate(.test) })
    }

    @Test(
        "A page that leads to a page of another table costs no row, and the other table keeps its page",
        arguments: ["postback", "postback_body", "delivery", "owner", "quarantine", "quarantine_class", nil])
    func wrongPage(_ other: String?) async throws {
        try fill(400, { $0 % 3 == 0 ? .developer : .network }, every: 70_000)
        let before = try (rows(), SQLite.query("SELECT * FROM postback_body ORDER BY id", store.path))
        var bytes = try StoreBytes(store.path)
        let behindFile = 99_999
        let page = try other.map { try #require(bytes.leaves($0).last) } ?? behindFile
        try bytes.redirect(2, of: "postback", to: page)
        try bytes.save()
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.postbacks)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try rows() == before.0)
        #expect(try SQLite.query("SELECT * FROM postback_body ORDER BY id", store.path) == before.1)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("100"), delivery("new")]) == [.duplicate(.test), .recorded(.test)])
        #expect(try await ledger.differences(postbacks.verifier) == [])
    }

    @Test(
        "Rows on a damaged page in no block are named where counts of several quarters, or none, can be theirs",
        arguments: [true, false])
    func notCertain(_ areCounted: Bool) async throws {
        try fill(400, { $0 % 3 == 0 ? .developer : .network }, every: 70_000)
        let counted = try deliveries()
        if !areCounted {
            try SQLite.execute("DELETE FROM delivery", store.path)
        }
        try SQLite.garble("postback", store.path, offset: 2)
        let remaining = try await repair().remaining.differences.map(\.description)
        #expect(!remaining.isEmpty && remaining.allSatisfy { $0.contains("nothing says when its bytes came") })
        #expect(try !areCounted || deliveries() == counted)
        let ledger = try OpenLedger(store.path)
        #expect(try await ledger.totals()[.postbacks] == Int64(400 - remaining.count))
    }

    @Test("A cell that is read as another row keeps no other row from a repair", arguments: [1, 7, 15, 22, 30])
    func shiftedCell(_ index: Int) async throws {
        try fill(400)
        let before = try rows()
        var bytes = try StoreBytes(store.path)
        try bytes.shiftCell(index, of: bytes.leaves("postback")[4])
        try bytes.save()
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.postbacks)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try rows() == before)
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

    /// Changes of a value to one of another type, and whether the row is put back as it was.
    static let wrongTypes: [(change: String, isWhole: Bool)] = [
        ("recorded_at = 'x'", true), ("key_name = x'00'", true), ("digest_version = 0.5", true),
        ("received_at = 'x'", false),
    ]

    @Test(
        "A row with a value of the wrong type is named, and keeps its time if that is not the value",
        arguments: wrongTypes)
    func wrongType(_ row: (change: String, isWhole: Bool)) async throws {
        try fill(400, every: 70_000)
        let before = try rows()
        // A table that is STRICT takes no such value, but has one where damage changed a type in a row.
        func define(_ sql: String) throws {
            try SQLite.execute(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = \(sql) WHERE name = 'postback'", store.path
            )
        }
        try define("rtrim(sql, 'STRICT')")
        try SQLite.execute("UPDATE postback SET \(row.change) WHERE id = 150", store.path)
        try define("sql || 'STRICT'")
        let repair = try await repair()
        #expect(
            repair.found.differences.map(\.description).contains(
                "postback 150: cannot be read: a value in its row is of the wrong type"))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try (rows() == before) == row.isWhole)
    }

    @Test(
        "A row that damage made count as nothing known keeps its delivery counted, through a repair",
        arguments: ["recipient = 'netwovk'", "traffic = 'tesu'"])
    func unknownWord(_ change: String) async throws {
        try fill(40)
        let counted = "SELECT traffic, recipient, sum(count) FROM delivery GROUP BY 1, 2"
        let before = try SQLite.query(counted, store.path)
        try SQLite.execute(
            "PRAGMA ignore_check_constraints = ON; UPDATE postback SET \(change) WHERE id = 7", store.path)
        let remaining = try await repair().remaining.differences.map(\.description)
        #expect(remaining.count == 1 && remaining[0].hasPrefix("postback 7: cannot be read"), "\(remaining)")
        #expect(try SQLite.query(counted, store.path) == before)
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
            try await ledger.writer.repair(mostRows: 399) { verifier.judge($0) }
        }
        #expect(try await ledger.differences(verifier) == found)
        #expect(try ledger.record([delivery("new")]) == [.recorded(.test)])
        let repair = try await ledger.writer.repair(mostRows: 401) { verifier.judge($0) }
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

    @Test("An owner leaves out a table with many rows, names it, and repairs the others")
    func largeTable() async throws {
        try fill(900)
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<600).map { try delivery("\($0)", .developer) })
        try ledger.close()
        try SQLite.garble("recipient_copy", store.path, offset: 1)
        try SQLite.garble("postback", store.path, offset: 2)
        let counted = try deliveries()
        let owner = try OpenLedger(store.path)
        let verifier = postbacks.verifier
        let repair = try await owner.writer.repair(mostRows: 700) { verifier.judge($0) }
        #expect(Set(repair.found.differences).isSuperset(of: [.tables(.postbacks), .tables(.recipientCopies)]))
        #expect(repair.remaining.differences.contains(.tables(.postbacks)))
        #expect(!repair.remaining.differences.contains(.tables(.recipientCopies)))
        let refusal = StoreError.longRepair(path: owner.writer.path, postbacks: 900)
        await #expect(throws: refusal) {
            try await owner.writer.repair(mostRows: 700) { verifier.judge($0) }
        }
        #expect(refusal.retryAfter == nil)
        try owner.close()
        #expect(try deliveries() == counted)
        #expect(try await self.repair().remaining.differences.map(\.description) == [])
    }

    @Test(
        "An owner replaces columns of 32 times as many postbacks as rows, and refuses to with one more",
        arguments: [(96, false), (97, true)])
    func largeColumns(_ count: Int, _ isRefused: Bool) async throws {
        try fill(count)
        let owner = try OpenLedger(store.path)
        try SQLite.execute("DROP INDEX column_block_highest", store.path)
        let verifier = postbacks.verifier
        let refusal = StoreError.longRepair(path: owner.writer.path, postbacks: Int64(count))
        if isRefused {
            await #expect(throws: refusal) { try await owner.writer.repair(mostRows: 3) { verifier.judge($0) } }
        } else {
            let repair = try await owner.writer.repair(mostRows: 3) { verifier.judge($0) }
            #expect(repair.found.differences == [.tables(.columns)] && repair.remaining.differences == [])
        }
    }

    @Test("A copy whose id damage changed hides few others from a repair", arguments: [9_000, 800, 130])
    func changedCopy(_ other: Int) async throws {
        try fillCopies()
        var bytes = try StoreBytes(store.path)
        try bytes.changeKey(450, to: other, in: "recipient_copy")
        try bytes.save()
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.recipientCopies)))
        #expect(repair.remaining.differences.map(\.description) == [])
        let kept = Set(try SQLite.query("SELECT id FROM recipient_copy", store.path).split(separator: "\n"))
        #expect(kept.count >= 880 && !kept.contains("9000"), "\(kept.count)")
    }

    @Test(
        "A page of copies that leads to one of another table stops neither a recount nor a repair",
        arguments: ["postback", "delivery", "quarantine_total"])
    func copiesOnWrongPage(_ other: String) async throws {
        try fillCopies()
        var bytes = try StoreBytes(store.path)
        let page = try #require(bytes.leaves(other).last)
        try bytes.redirect(1, of: "recipient_copy", to: page)
        try bytes.save()
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.recipientCopies)))
        #expect(repair.remaining.differences.map(\.description) == [])
        let ledger = try OpenLedger(store.path)
        #expect(try await ledger.totals()[.postbacks] == 900)
        #expect(try await ledger.deliveries().count(.recorded, .test) == 900)
        #expect(try ledger.record([delivery("new"), delivery("3")]) == [.recorded(.test), .duplicate(.test)])
    }

}
