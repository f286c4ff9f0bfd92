import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Synchronization
import Testing

@Suite("Bodies that damage took out of their table")
struct LostBodyTests {
    let store: TemporaryStore
    let postbacks: Postbacks
    private let count = 400
    /// The postback whose body is lost, where one is.
    private let lost = 150

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
        try await store.repair(by: postbacks.verifier)
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

    @Test("A row gets no digests of another row's body, also while its own is not put back")
    func otherBody() async throws {
        let rows = "SELECT id, received_at, hex(key_digest), hex(content_digest) FROM postback"
        let before = try SQLite.query(rows, store.path)
        try SQLite.execute(
            """
            UPDATE postback_body SET id = -id WHERE id IN (3, 4); UPDATE postback_body SET id = 7 + id WHERE id < 0
            """, store.path)
        try SQLite.flipBit(of: "key_digest", where: "id = 7", store.path)
        try SQLite.flipBit(of: "content_digest", where: "id = 7", store.path)
        #expect(
            try await repair().remaining.differences.map(\.description) == [
                "postback 3: its bytes are those of postback 4", "postback 4: its bytes are those of postback 3",
            ])
        #expect(try SQLite.query(rows, store.path) == before)
    }

    @Test("Bytes of a postback that has no row become no other row's own")
    func ownerless() async throws {
        let rows = "SELECT id, hex(key_digest), hex(content_digest) FROM postback"
        let before = try SQLite.query(rows, store.path)
        let other = try postbacks.standIn.sign(postbacks.draft(id: "elsewhere"))
        let hex = other.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try SQLite.execute("UPDATE postback_body SET body = x'\(hex)' WHERE id = 3", store.path)
        #expect(
            try await repair().remaining.differences.map(\.description)
                == ["postback 3: \(RecountDifference.foreignBytes)"])
        #expect(try SQLite.query(rows, store.path) == before)
    }

    @Test("A server that leaves a damaged table of bodies as it is changes no digests for it")
    func leftOut() async throws {
        let digests = "SELECT id, hex(key_digest), hex(content_digest) FROM postback"
        let before = try SQLite.query(digests, store.path)
        var bytes = try StoreBytes(store.path)
        try bytes.change(id: 150, to: 151, in: "postback_body")
        try bytes.save()
        // Something else that is repaired.
        try SQLite.flipBit(of: "content_digest", where: "id = 9", store.path)
        let ledger = try OpenLedger(store.path)
        let verifier = postbacks.verifier
        let repair = try await ledger.writer.repair(mostRows: 10) { verifier.judge($0) }
        #expect(repair.remaining.differences.contains(.tables(.bodies)))
        #expect(try SQLite.query(digests, store.path) == before)
        try ledger.close()
        #expect(try await self.repair().remaining.differences == [])
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

    // MARK: Copies elsewhere in the file

    private func body() throws -> String {
        try SQLite.query("SELECT body FROM postback_body WHERE id = \(lost)", store.path)
    }

    /// Changes bodies; what is deleted stays in the file.
    private func change(_ sql: String) throws {
        try SQLite.execute("PRAGMA secure_delete = OFF; \(sql)", store.path)
    }

    @Test("Of two copies of a lost body, the one that verifies is put back, wherever it is", arguments: [false, true])
    func changedSignature(isFirst: Bool) async throws {
        let before = try bodies()
        let whole = try body()
        let signature = try #require(whole.range(of: #""attribution-signature"[^"]*""#, options: .regularExpression))
            .upperBound
        let place = whole.index(signature, offsetBy: 40)
        let changed = whole.replacingCharacters(in: place...place, with: whole[place] == "A" ? "B" : "A")
        try change(
            """
            UPDATE postback_body SET body = CAST('\(isFirst ? changed : whole)' AS BLOB) WHERE id = \(lost);
            CREATE TABLE scratch (id INTEGER PRIMARY KEY, body BLOB);
            INSERT INTO scratch VALUES (\(lost), CAST('\(isFirst ? whole : changed)' AS BLOB));
            DROP TABLE scratch;
            DELETE FROM postback_body WHERE id = \(lost);
            """)
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.bodies)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try bodies() == before)
    }

    @Test("Bodies are put back one after the other without making the file longer")
    func sameLength() async throws {
        let before = try (bodies(), SQLite.query("PRAGMA page_count", store.path))
        for id in [lost, lost + 1, 299] {
            try change("DELETE FROM postback_body WHERE id = \(id)")
            let repair = try await repair()
            #expect(repair.found.differences.contains(.tables(.bodies)))
            #expect(repair.remaining.differences.map(\.description) == [])
            #expect(try bodies() == before.0)
        }
        #expect(try SQLite.query("PRAGMA page_count", store.path) == before.1)
    }

    @Test("Where another body stands once the lost one is to be put back, it is not put in its place")
    func overwritten() async throws {
        let (verifier, path) = (postbacks.verifier, store.path)
        let whole = Array(try body().utf8)
        try change("DELETE FROM postback_body WHERE id = \(lost)")
        let searches = Mutex(0)
        let repair = try await LedgerRepair.repair(path: path) { bodies in
            // The recount looks for it first, and then the repair.
            guard bodies == [whole] else {
                return verifier.judge(bodies)
            }
            let search = searches.withLock { count in
                count += 1
                return count
            }
            if search == 2 {
                #expect(throws: Never.self) { try Self.overwrite(whole, path) }
            }
            return verifier.judge(bodies)
        }
        #expect(searches.withLock { $0 } == 2)
        #expect(
            repair.remaining.differences.map(\.description) == [
                "postback \(lost): cannot be read: its body is missing"
            ])
        #expect(try SQLite.query("SELECT count(*) FROM postback_body WHERE id = \(lost)", store.path) == "0")
    }

    /// Makes a body in a file that of another postback.
    private static func overwrite(_ body: [UInt8], _ path: String) throws {
        let url = URL(fileURLWithPath: path)
        let other = String(decoding: body, as: UTF8.self).replacingOccurrences(of: #""149""#, with: #""949""#)
        let place = try #require(try Data(contentsOf: url).range(of: Data(body)))
        try #require(Array(other.utf8) != body)
        let file = try FileHandle(forWritingTo: url)
        try file.seek(toOffset: UInt64(place.lowerBound))
        try file.write(contentsOf: Data(other.utf8))
        try file.close()
    }
}
