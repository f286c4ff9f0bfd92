import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Rows and bodies under ids that damage changed, and copies of them")
struct ChangedIDTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    /// A quarter of an hour.
    private static let quarter: Int64 = 900_000

    /// Records nine postbacks and closes the store.
    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(
            try (0..<9).map {
                try postbacks.delivery(postbacks.draft(id: "\($0)"), at: Postbacks.noon + Int64($0) * Self.quarter)
            })
        try ledger.close()
    }

    private func repair() async throws -> RecountRepair {
        try await store.repair(by: postbacks.verifier)
    }

    /// Everything that was recorded and counted.
    private func contents() throws -> [String] {
        try [
            "SELECT * FROM postback ORDER BY id", "SELECT * FROM postback_body ORDER BY id",
            "SELECT * FROM delivery ORDER BY quarter, status, traffic, recipient",
        ].map { try SQLite.query($0, store.path) }
    }

    private func counted() async throws -> Int64 {
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        return try await reader.answer(LedgerQuestion(traffic: .test)).totals[.postbacks]
    }

    private static let row = "UPDATE postback SET id ="
    private static let body = "UPDATE postback_body SET id ="

    private static let digestsTell = "which damage changed; the digests in the row tell, and a repair changes it back"

    static let changes: [(damage: String, findings: Set<String>)] = [
        ("\(row) 10 WHERE id = 5", ["postback 5: its row has the id 10, \(digestsTell)"]),
        ("\(body) 10 WHERE id = 5", ["postback 5: its bytes have the id 10, \(digestsTell)"]),
        // One id in both tables, with a row and a body of different postbacks.
        (
            "\(row) 12 WHERE id = 9; \(body) 12 WHERE id = 8",
            [
                "postback 9: its row has the id 12, \(digestsTell)",
                "postback 8: its bytes have the id 12, \(digestsTell)",
            ]
        ),
    ]

    @Test(
        "A row and a body that belong together by their digests get one id again, and count once", arguments: changes)
    func changed(_ change: (damage: String, findings: Set<String>)) async throws {
        let before = try contents()
        try SQLite.execute(change.damage, store.path)
        let repair = try await repair()
        #expect(Set(repair.found.differences.map(\.description)).isSuperset(of: change.findings))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try contents() == before)
        #expect(try await counted() == 9)
    }

    static let copies: [(damage: String, finding: String)] = [
        (
            "INSERT INTO postback_body SELECT 10, body FROM postback_body WHERE id = 8",
            "postback 10: its bytes are a copy of those of postback 8"
        ),
        (
            """
            CREATE TEMP TABLE row AS SELECT * FROM postback WHERE id = 8; UPDATE row SET id = 10;
            INSERT INTO postback SELECT * FROM row
            """, "postback 10: its row is a copy of that of postback 8"
        ),
    ]

    @Test("A copy of a row or of a body counts nothing, and is deleted", arguments: copies)
    func copied(_ copy: (damage: String, finding: String)) async throws {
        let before = try contents()
        try SQLite.execute(copy.damage, store.path)
        let repair = try await repair()
        #expect(
            repair.found.differences.map(\.description).contains {
                $0 == "\(copy.finding), which has its own; a repair deletes the copy, so that it is not counted twice"
            }, "\(repair.found.differences)")
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try contents() == before)
        #expect(try await counted() == 9)
    }

    @Test("Bytes of another postback in place of a row's own are deleted once that has its own, and the row is named")
    func copyInPlace() async throws {
        try SQLite.execute(
            """
            UPDATE postback_body SET body = (SELECT body FROM postback_body WHERE id = 8) WHERE id = 3
            """, store.path)
        #expect(try await counted() == 9)
        let repair = try await repair()
        #expect(
            repair.remaining.differences.map(\.description).contains(
                "postback 3: cannot be read: its body is missing"))
        #expect(try await counted() == 8)
    }

    @Test("A copy of a body that says something else where Apple did not sign it makes no other postback of it")
    func changedCopy() async throws {
        try SQLite.execute(
            """
            INSERT INTO postback_body
            SELECT 10, CAST(rtrim(CAST(body AS TEXT), '}') || ',"conversion-value":5}' AS BLOB)
            FROM postback_body WHERE id = 8
            """, store.path)
        let repair = try await repair()
        #expect(
            repair.remaining.differences.map(\.description)
                == ["postback 10: its row is missing, and its bytes are those of postback 8"])
        #expect(try await counted() == 9)
    }

    @Test("A postback that is in two rows with its bytes is named, because nothing tells which is the first")
    func twice() async throws {
        try SQLite.execute(
            """
            CREATE TEMP TABLE row AS SELECT * FROM postback WHERE id = 8; UPDATE row SET id = 10;
            INSERT INTO postback SELECT * FROM row;
            INSERT INTO postback_body SELECT 10, body FROM postback_body WHERE id = 8
            """, store.path)
        let remaining = try await repair().remaining.differences.map(\.description)
        #expect(
            remaining == ["postbacks 8 and 10 are the same postback; reports count it twice if both have its bytes"])
    }

    @Test("An owner leaves its newest row where it is, and records on")
    func owner() async throws {
        let before = try contents()
        try SQLite.execute("\(Self.row) 10 WHERE id = 5; \(Self.body) 10 WHERE id = 3", store.path)
        do {
            let ledger = try OpenLedger(store.path)
            let verifier = postbacks.verifier
            let repair = try await ledger.writer.repair { verifier.judge($0) }
            #expect(repair.remaining.differences.contains(.changedID(5, stored: 10, .postbacks)))
            #expect(!repair.remaining.differences.contains(.changedID(3, stored: 10, .bodies)))
            #expect(try ledger.record([postbacks.delivery(postbacks.draft(id: "2"))]) == [.duplicate(.test)])
            #expect(ledger.writer.health == .ready)
            try ledger.close()
        }
        #expect(try await repair().remaining.differences.map(\.description) == [])
        #expect(try contents()[..<2] == before[..<2])
    }
}
