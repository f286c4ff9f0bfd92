import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("Recount and repair")
struct RecountTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    /// Records some postbacks, each in its own transaction, and closes the store.
    private func fill(_ count: Int) throws {
        let ledger = try OpenLedger(store.path)
        for number in 0..<count {
            _ = try ledger.record([try delivery("\(number)")])
        }
        try ledger.close()
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    static let damages: [String] = [
        "UPDATE postback_body SET body = x'00' WHERE id = 3", "DELETE FROM postback_body WHERE id = 3",
        "UPDATE postback SET key_digest = zeroblob(16) WHERE id = 3",
        "UPDATE postback SET key_digest = randomblob(16)",
        "INSERT INTO column_block VALUES (0, 1, 0, 0, x'', 0)",
        "INSERT INTO column_value VALUES (3, 1, '1', 0)",
    ]

    @Test("A damaged row stops neither an owner nor a report, and is not counted twice", arguments: damages)
    func contained(_ damage: String) throws {
        try fill(9)
        try SQLite.execute(damage, store.path)
        let ledger = try OpenLedger(store.path)
        let batch = try ["new", "2", "newer", "4"].map { try delivery($0) }
        let answers = try ledger.record(batch)
        #expect(answers == [.recorded(.test), .duplicate(.test), .recorded(.test), .duplicate(.test)])
    }

    /// A change made with SQL, the beginning of the difference that recount reports, and whether it can be repaired.
    static let findings: [(damage: String, finding: String, isRepairable: Bool)] = [
        ("UPDATE postback_body SET body = x'00' WHERE id = 3", "postback 3: does not verify again", false),
        ("DELETE FROM postback_body WHERE id = 3", "postback 3: cannot be read: its body is missing", false),
        ("DELETE FROM postback WHERE id = 3", "postback 3: its row is missing", false),
        ("DELETE FROM postback WHERE id IN (3, 4)", "postbacks 3 to 4: their rows are missing", false),
        ("DELETE FROM postback WHERE id = 9", "postback 9: its row is missing", false),
        ("UPDATE postback SET traffic = 'apple' WHERE id = 3", "postback 3: recorded as apple", false),
        ("UPDATE postback SET key_digest = zeroblob(16) WHERE id = 3", "postback 3: its digests", true),
        ("UPDATE postback SET content_digest = zeroblob(16) WHERE id = 3", "postback 3: its digests", true),
        ("UPDATE postback SET key_name = 'another' WHERE id = 3", "postback 3: the name of its key is not", true),
        ("INSERT INTO column_block VALUES (0, 1, 0, 0, x'', 0)", "there are columns for postbacks", true),
        ("INSERT INTO column_block VALUES (-9223372036854775808, 1, 0, 0, x'', 0)", "there are columns for", true),
        ("INSERT INTO column_block VALUES (9223372036854775807, 1, 0, 0, x'', 0)", "there are columns for", true),
        ("UPDATE delivery SET count = count - 1 WHERE status = 'recorded'", "deliveries of quarter", true),
        ("UPDATE delivery SET count = count + 1 WHERE status = 'recorded'", "deliveries of quarter", true),
        ("DELETE FROM delivery", "deliveries of quarter", true),
        ("INSERT INTO quarantine_total VALUES ('forged', 5, 500)", "the quarantine's total of forged", true),
        ("INSERT INTO recipient_copy VALUES (77, 'developer', 0)", "a copy for another recipient", true),
        (
            """
            INSERT INTO quarantine (class, received_at, recipient, client, reason, detail, body)
                VALUES ('forged', 5, 'network', '', '', '', x'');
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '(class, id)', '(client, id)') WHERE name = 'quarantine_class'
            """, "SQLite's check: row 1 missing from index quarantine_class", true
        ),
    ]

    @Test(
        "Recount reports it; a repair fixes what can be derived from the bytes and reports what remains",
        arguments: findings)
    func recount(_ row: (damage: String, finding: String, isRepairable: Bool)) async throws {
        try fill(9)
        try SQLite.execute(row.damage, store.path)
        let verifier = postbacks.verifier
        let reader = try SQLiteLedgerReader(store.path)
        let found = try await reader.recount { verifier.judge($0) }
        #expect(found.differences.contains { $0.description.hasPrefix(row.finding) }, "\(found.differences)")
        reader.close()
        let repair = try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
        let remaining = repair.remaining.differences.map(\.description)
        if row.isRepairable {
            #expect(remaining == [])
            #expect(repair.repaired == found.differenceCount)
        } else {
            #expect(remaining.contains { $0.hasPrefix(row.finding) })
        }
        // Whether or not it was repaired, nothing is counted again.
        let ledger = try OpenLedger(store.path)
        let answers = try ledger.record([delivery("7"), delivery("0"), delivery("fresh")])
        #expect(answers == [.duplicate(.test), .duplicate(.test), .recorded(.test)])
        #expect(try await ledger.totals()[.postbacks] >= 8)
    }

    @Test(
        "Postbacks with extreme times are counted, found and repaired too",
        arguments: [Int64.max, .min, Int64.max / 900_000 * 900_000, -1])
    func wildTimes(_ time: Int64) async throws {
        let ledger = try OpenLedger(store.path)
        let many = try ManyPostbacks(ManyPostbacks.block + 10)
        _ = try ledger.record(Array(many.deliveries.prefix(100)))
        let wild = try postbacks.delivery(postbacks.standIn.sign(postbacks.draft(id: "wild")), at: time)
        #expect(try ledger.record([wild]) == [.recorded(.test)])
        _ = try ledger.record(Array(many.deliveries.dropFirst(100)))
        for dimension in ReportDimension.times {
            let question = LedgerQuestion(dimensions: [dimension], traffic: .test, calendar: utcDays)
            #expect(try await ledger.answer(question).totals[.postbacks] == Int64(many.deliveries.count + 1))
        }
        let range = (time == .max ? time - 1 : time)..<(time == .max ? time : time + 1)
        #expect(try await ledger.answer(LedgerQuestion(received: range, traffic: .test)).totals[.postbacks] >= 1)
        try SQLite.execute("DELETE FROM delivery", store.path)
        let (one, other) = (postbacks.verifier, try ManyPostbacks.postbacks().verifier)
        let repair = try await ledger.writer.repair { bodies in
            zip(one.judge(bodies), other.judge(bodies)).map { if case .verified = $0 { $0 } else { $1 } }
        }
        #expect(repair.found.differenceCount > 0 && repair.remaining.differences.map(\.description) == [])
    }

    @Test("Many differences are repaired in small transactions")
    func manyDifferences() async throws {
        let many = try ManyPostbacks(1_000)
        let verifier = try ManyPostbacks.postbacks().verifier
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(many.deliveries)
        try SQLite.flipBit(of: "content_digest", where: "id > 0", store.path)
        try SQLite.execute("UPDATE delivery SET count = 0", store.path)
        let repair = try await ledger.writer.repair { verifier.judge($0) }
        #expect(repair.found.differenceCount > Int64(many.deliveries.count))
        #expect(repair.remaining.differences == [] && repair.repaired == repair.found.differenceCount)
        #expect(try ledger.record(many.deliveries).allSatisfy { $0 == .duplicate(.test) })
    }

    @Test("A repair during recording agrees with what is recorded")
    func repairBesideRecording() async throws {
        try fill(30)
        try SQLite.flipBit(of: "content_digest", where: "id < 20", store.path)
        try SQLite.execute("DELETE FROM delivery", store.path)
        let ledger = try OpenLedger(store.path)
        let verifier = postbacks.verifier
        async let repair = ledger.writer.repair { verifier.judge($0) }
        for number in 30..<60 {
            #expect(try ledger.record([delivery("\(number)")]) == [.recorded(.test)])
        }
        _ = try await repair
        #expect(try await ledger.repair(verifier).isWhole)
        #expect(try await ledger.differences(verifier) == [])
        #expect(try ledger.record([delivery("3"), delivery("59")]) == [.duplicate(.test), .duplicate(.test)])
    }

    @Test(
        "A changed byte in bytes that are in no block of columns yet is found",
        arguments: [("525463029", "does not verify again"), ("\"conversion-value\":5", "its digests do not match")])
    func changedBody(_ text: String, _ finding: String) async throws {
        var draft = postbacks.draft(id: "valued")
        draft[.conversionValue] = .integer(5)
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record([delivery("first"), postbacks.delivery(draft), delivery("last")])
        try ledger.close()
        let other = text.dropLast() + (text.hasSuffix("5") ? "6" : "8")
        try SQLite.execute(
            """
            UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '\(text)', '\(other)') AS BLOB)
            WHERE id = 2
            """, store.path)
        let owner = try OpenLedger(store.path)
        let found = try await owner.differences(postbacks.verifier)
        #expect(found.count == 1 && found[0].hasPrefix("postback 2: ") && found[0].contains(finding), "\(found)")
    }

    @Test("Bytes that were changed before their block is written get into no block as if they were true")
    func changedBeforeBlock() throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 10).deliveries
        func record(_ deliveries: some Sequence<Delivery>) throws {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record(Array(deliveries))
            try ledger.close()
        }
        try record(many.prefix(100))
        try SQLite.execute(
            """
            UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '"app-id":', '"app-id":1') AS BLOB)
            WHERE id = (SELECT min(id) FROM postback_body WHERE CAST(body AS TEXT) LIKE '%"app-id":%')
            """, store.path)
        try record(many.dropFirst(100))
        #expect(try SQLite.query("SELECT lowest FROM column_block WHERE id = 0", store.path) == "0")
    }

    @Test("Two rows of one postback are named")
    func sameKey() async throws {
        try fill(9)
        try SQLite.execute(
            """
            INSERT INTO postback SELECT 10, recorded_at, received_at, recipient, traffic, key_name, digest_version,
                key_digest, content_digest FROM postback WHERE id = 4;
            INSERT INTO postback_body SELECT 10, body FROM postback_body WHERE id = 4
            """, store.path)
        let found = try await store.repair(by: postbacks.verifier).remaining.differences
        #expect(found == [.sameKey(4, 10)])
    }
}
