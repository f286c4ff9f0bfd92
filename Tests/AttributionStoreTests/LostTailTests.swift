import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("The last rows and bodies of a store, lost together")
struct LostTailTests {
    let store: TemporaryStore
    let postbacks: Postbacks
    private let count = 400

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<count).map { try delivery("\($0)") } + [postbacks.genuine()])
        try ledger.close()
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    private func repair() async throws -> RecountRepair {
        try await store.repair(by: postbacks.verifier)
    }

    private func number(_ sql: String) throws -> Int {
        try #require(Int(try SQLite.query(sql, store.path)))
    }

    /// How many postbacks are said to be lost without a row, of any traffic.
    private func lost(_ recount: Recount) -> Int64 {
        recount.differences.reduce(0) { if case .withoutRow(let count, _) = $1 { $0 + count } else { $0 } }
    }

    @Test("A repair that corrects the counts says how many postbacks of which traffic they knew besides")
    func deleted() async throws {
        try SQLite.execute("DELETE FROM postback WHERE id > 390; DELETE FROM postback_body WHERE id > 390", store.path)
        let repair = try await repair()
        let lines = [
            "1 postback (apple) was counted as recorded, and no rows are left; a backup may have them",
            "10 postbacks (test) were counted as recorded, and no rows are left; a backup may have them",
        ]
        #expect(Set(repair.found.differences.map(\.description)).isSuperset(of: lines))
        #expect(repair.remaining.differences.map(\.description) == lines && repair.remaining.differenceCount == 2)
        #expect(try number("SELECT sum(count) FROM delivery WHERE status = 'recorded'") == 390)
        #expect(try await self.repair().found.differences == [])
    }

    @Test("Where rows between others are lost, too, the counts stay, and only those beyond these are said to be lost")
    func besideMissingRow() async throws {
        try SQLite.execute(
            "DELETE FROM postback WHERE id IN (3, 400, 401); DELETE FROM postback_body WHERE id IN (3, 400, 401)",
            store.path)
        for _ in 0..<2 {
            let repair = try await repair()
            #expect(
                repair.remaining.differences.map(\.description) == [
                    "postback 3: its row is missing, and so are its bytes; a backup may have both",
                    "2 postbacks were counted as recorded, and no rows are left; a backup may have them",
                ])
        }
        #expect(try number("SELECT sum(count) FROM delivery WHERE status = 'recorded'") == 401)
    }

    @Test("Damaged ends of both tables cost no row on other pages, neither in a report nor in a repair")
    func damagedEnds() async throws {
        try SQLite.garble("postback", store.path, isLast: true)
        try SQLite.garble("postback_body", store.path, isLast: true)
        do {
            let reader = try SQLiteLedgerReader(store.path)
            defer { reader.close() }
            #expect(try await reader.answer(LedgerQuestion(traffic: .test)).totals[.postbacks] > 300)
        }
        let repair = try await repair()
        let rows = try number("SELECT count(*) FROM postback")
        #expect(rows > 300)
        // Some bodies without a row are left, which the counts cannot date where more are lost.
        let named = repair.remaining.differences.count { if case .missingRow = $0 { true } else { false } }
        #expect(lost(repair.remaining) > 0 && rows + named + Int(lost(repair.remaining)) == count + 1)
        #expect(repair.remaining.differences.allSatisfy { !$0.isRepairable })
        try expectRecording()
    }

    @Test("Bodies before a damaged end are found, and kept, where the table of rows ends sooner")
    func shortRows() async throws {
        try SQLite.execute("DELETE FROM postback WHERE id > 300", store.path)
        try SQLite.garble("postback_body", store.path, isLast: true)
        let named = try await repair().remaining.differences.count { if case .missingRow = $0 { true } else { false } }
        #expect(try named + number("SELECT count(*) FROM postback") > 380)
        #expect(try number("SELECT max(id) FROM postback_body") > 380)
    }

    /// Records into the store, with ids behind those of rows that are lost and of bodies that are not.
    private func expectRecording() throws {
        let newest = try number("SELECT max(id) FROM (SELECT id FROM postback UNION SELECT id FROM postback_body)")
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("3"), delivery("new")]) == [.duplicate(.test), .recorded(.test)])
        #expect(try ledger.record([delivery("newer"), delivery("new")]) == [.recorded(.test), .duplicate(.test)])
        #expect(try number("SELECT max(id) FROM postback") == newest + 2)
    }

    @Test("An owner records behind a last row that is lost and cannot be rebuilt")
    func missingLastRow() async throws {
        try SQLite.execute("DELETE FROM postback WHERE id > 399; DELETE FROM delivery", store.path)
        #expect(
            try await repair().remaining.differences.map(\.description)
                == [400, 401].map {
                    "postback \($0): its row is missing, and nothing says when its bytes came; a backup may have it"
                })
        try expectRecording()
    }

    @Test("A damaged end is found behind damaged pages in the middle", arguments: [2, 3, 6])
    func damagedMiddle(_ offset: Int) async throws {
        for table in ["postback", "postback_body"] {
            try SQLite.garble(table, store.path, isLast: true)
            try SQLite.garble(table, store.path, isLast: true, offset: offset)
        }
        _ = try await repair()
        #expect(try number("SELECT max(id) FROM postback_body") > count - 10)
    }

    @Test("Tables of which nothing can be read are not replaced by empty ones")
    func damagedRoots() async throws {
        let before = try (number("SELECT rootpage FROM sqlite_schema WHERE name = 'postback'"), counted())
        try SQLite.garbleRoot("postback", store.path)
        try SQLite.garbleRoot("postback_body", store.path)
        let repair = try await repair()
        #expect(repair.remaining.differences.contains(.tables(.postbacks)))
        #expect(repair.remaining.differences.contains(.noPostbacks(counted: Int64(count + 1))))
        #expect(try number("SELECT rootpage FROM sqlite_schema WHERE name = 'postback'") == before.0)
        #expect(try counted() == before.1)
    }

    private func counted() throws -> String {
        try SQLite.query("SELECT * FROM delivery ORDER BY quarter, status, traffic, recipient", store.path)
    }
}
