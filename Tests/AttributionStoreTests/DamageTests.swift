import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import Testing

@Suite("Damage in a store")
struct DamageTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    /// Records some postbacks, each in a transaction of its own, and closes the store.
    private func fill(_ count: Int, tallyInterval: Int = 10) throws {
        let ledger = try OpenLedger(store.path, tallyInterval: tallyInterval)
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
        "UPDATE key_block SET digests = zeroblob(8) WHERE first_id = 3", "DELETE FROM key_block WHERE first_id = 3",
        "UPDATE key_block SET first_id = 99 WHERE first_id = 3", "DELETE FROM key_block",
        "UPDATE postback SET key_digest = randomblob(16); DELETE FROM key_block",
        "UPDATE tally SET counts = x'05'", "UPDATE postback SET conversion = 'nonsense' WHERE id = 3",
        "UPDATE postback_quarter SET first_id = 7",
    ]

    @Test("A damaged row stops nobody, and is still not counted twice", arguments: damages)
    func contained(_ damage: String) throws {
        try fill(9)
        try SQLite.execute(damage, store.path)
        let ledger = try OpenLedger(store.path)
        let batch = try ["new", "2", "newer", "4"].map { try delivery($0) }
        let answers = try ledger.record(batch)
        #expect(answers == [.recorded(.test), .duplicate(.test), .recorded(.test), .duplicate(.test)])
    }

    @Test("A row that is gone is not counted twice by an owner that knows its digest, and what comes of it is kept")
    func missingRow() throws {
        try fill(9)
        try SQLite.execute("DELETE FROM postback WHERE id = 3; DELETE FROM postback_body WHERE id = 3", store.path)
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        #expect(try ledger.record([delivery("2")]) == [.conflict(.test)])
        #expect(events.messages.contains { $0.contains("row 3") })
    }

    /// A change behind the product's back, the beginning of what recount says, and whether a repair makes it right.
    static let findings: [(damage: String, finding: String, isRepairable: Bool)] = [
        ("UPDATE postback_body SET body = x'00' WHERE id = 3", "postback 3: does not verify again", false),
        ("DELETE FROM postback_body WHERE id = 3", "postback 3: cannot be read: its body is missing", false),
        ("DELETE FROM postback WHERE id = 3", "postback 3: its row is missing", false),
        ("UPDATE postback SET traffic = 'apple' WHERE id = 3", "postback 3: recorded as apple", false),
        ("UPDATE postback SET key_digest = zeroblob(16) WHERE id = 3", "postback 3: its digests", true),
        ("UPDATE postback SET content_digest = zeroblob(16) WHERE id = 3", "postback 3: its digests", true),
        ("UPDATE postback SET app_id = '1' WHERE id = 3", "postback 3: its columns", true),
        ("UPDATE key_block SET digests = zeroblob(8) WHERE first_id = 3", "the index of postbacks 3", true),
        ("DELETE FROM key_block WHERE first_id = 9", "the index of postbacks 9 to 9", true),
        ("DELETE FROM key_block", "the index of postbacks 1 to 9", true),
        ("DELETE FROM postback_quarter", "quarter of an hour", true),
        ("UPDATE postback_quarter SET quarter = quarter + 500", "quarter of an hour", true),
        ("UPDATE tally_mark SET postback_id = 500", "the tallies by", true),
        ("DELETE FROM tally_mark WHERE tally = 'source'", "the tallies by source", true),
        ("DELETE FROM tally", "tally of day", true),
        ("UPDATE tally SET day = day + 1", "tally of day", true),
        ("UPDATE delivery SET count = count + 1 WHERE status = 'recorded'", "deliveries of quarter", true),
        ("DELETE FROM delivery", "deliveries of quarter", true),
        ("INSERT INTO quarantine_total VALUES ('forged', 5, 500)", "the quarantine's total of forged", true),
        ("INSERT INTO recipient_copy VALUES (77, 'developer', 0)", "a copy for another recipient", true),
    ]

    @Test("Recount names it; a repair mends what follows from the bytes and says what remains", arguments: findings)
    func recount(_ row: (damage: String, finding: String, isRepairable: Bool)) async throws {
        try fill(9)
        try SQLite.execute(row.damage, store.path)
        let verifier = postbacks.verifier
        let reader = try LedgerReader(store.path)
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
        // Whatever was repaired, what was counted is not counted again.
        let ledger = try OpenLedger(store.path)
        let answers = try ledger.record([delivery("8"), delivery("0"), delivery("fresh")])
        #expect(answers == [.duplicate(.test), .duplicate(.test), .recorded(.test)])
        #expect(try await ledger.reader.tallies(TallyQuery(dimensions: [], traffic: .test)).isEmpty == false)
    }

    @Test("An id that no owner gave out is an error in words, and no reason to end")
    func wildID() throws {
        try fill(9)
        try SQLite.execute("UPDATE postback SET id = 9223372036854775807 WHERE id = 5", store.path)
        #expect(throws: StoreError.self) { try LedgerWriter(path: store.path) }
    }

    @Test(
        "An owner that cannot record is not ready, and a heartbeat alone does not make it so",
        arguments: [
            "postback_body", "delivery",
        ])
    func notReady(_ table: String) throws {
        try fill(400, tallyInterval: 1_000)
        try overwriteLastPage(of: table)
        let owner = try LedgerWriter(path: store.path)
        #expect(try owner.record([delivery("fresh")]) == [nil])
        #expect(owner.health != .ready)
        owner.heartbeat()
        #expect(owner.health != .ready)
    }

    private func overwriteLastPage(of table: String) throws {
        let leaf = try SQLite.query(
            "SELECT pageno FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1",
            store.path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try file.seek(toOffset: (try #require(UInt64(leaf)) - 1) * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()
    }

    @Test("A repair beside recording agrees with what is recorded meanwhile")
    func repairBesideRecording() async throws {
        try fill(30)
        try SQLite.execute("DELETE FROM tally; DELETE FROM key_block WHERE first_id < 20", store.path)
        let ledger = try OpenLedger(store.path, tallyInterval: 4)
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
        "A page of garbage is named, and the rows on the other pages are counted and recorded all the same",
        arguments: [false, true])
    func damagedPage(isLast: Bool) async throws {
        try fill(400, tallyInterval: 1_000)
        let leaf = try SQLite.query(
            """
            SELECT pageno FROM dbstat WHERE name = 'postback' AND pagetype = 'leaf'
            ORDER BY path \(isLast ? "DESC LIMIT 1" : "LIMIT 1 OFFSET 2")
            """, store.path)
        let page = try #require(UInt64(leaf))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try file.seek(toOffset: (page - 1) * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()
        let verifier = postbacks.verifier
        let reader = try LedgerReader(store.path)
        let found = try await reader.recount { verifier.judge($0) }.differences.map(\.description)
        #expect(found.contains { $0.hasPrefix("the database's own check") })
        #expect(found.contains { $0.contains("its page is damaged") })
        reader.close()
        guard !isLast else {
            // There is no place for the next row: the owner says so instead of starting.
            #expect(throws: StoreError.self) { try LedgerWriter(path: store.path) }
            return
        }
        let ledger = try OpenLedger(store.path)
        let answers = try ledger.record(try (0..<400).map { try delivery("\($0)") } + [delivery("fresh")])
        // Of rows that cannot be read, what comes again is kept: it may be all that is left.
        #expect(answers.dropLast().allSatisfy { $0 == .duplicate(.test) || $0 == .conflict(.test) })
        #expect(answers.contains(.conflict(.test)) && answers.contains(.duplicate(.test)))
        #expect(answers.last == .recorded(.test))
    }
}
