import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Synchronization
import Testing

@Suite("Bodies that a repair finds in the file")
struct FoundBodyTests {
    let store: TemporaryStore
    let postbacks: Postbacks
    private let lost = 150

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<400).map { try postbacks.delivery(postbacks.draft(id: "\(1_000 + $0)")) })
        try ledger.close()
    }

    private func repair() async throws -> RecountRepair {
        let verifier = postbacks.verifier
        return try await LedgerRepair.repair(path: store.path) { verifier.judge($0) }
    }

    private func bodies() throws -> String {
        try SQLite.query("SELECT id, hex(body) FROM postback_body", store.path)
    }

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
        let other = String(decoding: body, as: UTF8.self).replacingOccurrences(of: #""1149""#, with: #""9149""#)
        let place = try #require(try Data(contentsOf: url).range(of: Data(body)))
        try #require(Array(other.utf8) != body)
        let file = try FileHandle(forWritingTo: url)
        try file.seek(toOffset: UInt64(place.lowerBound))
        try file.write(contentsOf: Data(other.utf8))
        try file.close()
    }
}
