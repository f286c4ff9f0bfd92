import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Bodies that damage took out of their table")
struct LostBodyTests {
    let store: TemporaryStore
    let postbacks: Postbacks
    private let count = 400

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<count).map { try delivery("\($0)") })
        try ledger.close()
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    private func bodies() throws -> String {
        try SQLite.query("SELECT id, body FROM postback_body", store.path)
    }

    private func repair() async throws -> RecountRepair {
        let verifier = postbacks.verifier
        return try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
    }

    /// Damages the store, and expects that a repair finds every body.
    private func expectAllFound(_ damage: (inout StoreBytes) throws -> Void) async throws {
        let before = try bodies()
        var bytes = try StoreBytes(store.path)
        try damage(&bytes)
        try bytes.save()
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.bodies)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try bodies() == before)
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([delivery("149"), delivery("new")]) == [.duplicate(.test), .recorded(.test)])
        #expect(try await ledger.differences(postbacks.verifier) == [])
    }

    @Test(
        "A page that leads to a page of another table costs no body",
        arguments: ["postback", "postback_body", "owner", "quarantine", "quarantine_class", nil])
    func wrongPage(_ other: String?) async throws {
        try await expectAllFound { bytes in
            let behindFile = 99_999
            let page = try other.map { try #require(bytes.leaves($0).last) } ?? behindFile
            try bytes.redirect(2, of: "postback_body", to: page)
        }
    }

    @Test("Of a table that one damaged page makes empty, every body is found")
    func emptiedTable() async throws {
        try await expectAllFound { bytes in
            bytes.empty(try bytes.root("postback_body"))
        }
    }

    static let changedIDs: [(id: Int, other: Int)] = [
        (150, 8_342), (150, 214), (150, 151), (150, 134), (151, 150), (400, 401), (400, 1_424),
    ]

    @Test("A body whose id damage changed is put back under its own", arguments: changedIDs)
    func changedID(_ change: (id: Int, other: Int)) async throws {
        try await expectAllFound { bytes in
            try bytes.change(id: change.id, to: change.other, in: "postback_body")
        }
    }

    @Test("Bodies of more than a page on both sides of a damaged page are kept", arguments: [1, 4, 9])
    func largeBodies(_ page: Int) async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(
            try (0..<30).map { number in
                let body = try postbacks.standIn.sign(postbacks.draft(id: "large \(number)"))
                // What is not signed may be of any length.
                let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 5_000)
                return postbacks.delivery(body.dropLast() + spaces + [UInt8(ascii: "}")])
            })
        try ledger.close()
        let leaf = """
            FROM dbstat WHERE name = 'postback_body' AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1 OFFSET \(page)
            """
        let onPage = try #require(Int(try SQLite.query("SELECT ncell \(leaf)", store.path)))
        #expect((1..<5).contains(onPage))
        try SQLite.garble("postback_body", store.path, isLast: true, offset: page)
        let repair = try await repair()
        let remaining = repair.remaining.differences.map(\.description)
        #expect(remaining.count == onPage, "\(remaining)")
        #expect(try SQLite.query("SELECT count(*) FROM postback_body", store.path) == "\(count + 30 - onPage)")
    }

    @Test("A body beside one whose id damage changed is kept until its row, whose id was changed too, is rebuilt")
    func changedWithRow() async throws {
        let before = try (bodies(), SQLite.query("SELECT * FROM postback", store.path))
        // Not every body beside it can still be looked up: that depends on where on the page they are.
        for id in 150..<170 {
            var bytes = try StoreBytes(store.path)
            try bytes.change(id: id, to: id + 201, in: "postback_body")
            try bytes.change(id: id + 1, to: id + 202, in: "postback")
            try bytes.save()
            if try SQLite.query("SELECT count(*) FROM postback_body WHERE id = \(id + 1)", store.path) == "1" {
                break
            }
            try bytes.change(id: id + 201, to: id, in: "postback_body")
            try bytes.change(id: id + 202, to: id + 1, in: "postback")
            try bytes.save()
        }
        let repair = try await repair()
        #expect(!repair.found.lostRows.isEmpty)
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try bodies() == before.0)
        #expect(try SQLite.query("SELECT * FROM postback", store.path) == before.1)
    }

    @Test("A store whose last page of bodies is damaged records again after a repair, which names what is lost")
    func lastPage() async throws {
        try SQLite.garble("postback_body", store.path, isLast: true)
        let remaining = try await repair().remaining.differences.map(\.description)
        #expect(!remaining.isEmpty && remaining.count < 20, "\(remaining)")
        #expect(remaining.allSatisfy { $0.hasSuffix("cannot be read: its body is missing") }, "\(remaining)")
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record(try (0..<count).map { try delivery("\($0)") }).allSatisfy { $0 == .duplicate(.test) })
        #expect(try ledger.record([delivery("new")]) == [.recorded(.test)])
        #expect(try await ledger.totals()[.postbacks] >= Int64(count + 1 - remaining.count))
    }
}
