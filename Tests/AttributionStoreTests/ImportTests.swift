import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("Deliveries of the past, and ids without bodies")
struct ImportTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func file(_ records: Int64) -> ImportedFile {
        ImportedFile(digest: Array(repeating: 7, count: 32), bytes: 1_000, records: records)
    }

    @Test("A delivery counts when it was received, and the same delivery once more changes nothing")
    func known() async throws {
        let ledger = try OpenLedger(store.path)
        let past = Postbacks.noon - 400 * 86_400_000
        let draft = postbacks.draft(id: "a")
        let first = try postbacks.delivery(draft, at: past)
        #expect(try ledger.writer.record([first, first], importing: file(2)) == [.made(.recorded(.test)), .known])
        let before = try await ledger.deliveries()
        #expect(try ledger.writer.record([first], importing: file(2)) == [.known])
        #expect(try await ledger.deliveries() == before)
        #expect(try await ledger.deliveries(received: past..<(past + 900_000)).received == 1)
        // Another time is another delivery.
        #expect(
            try ledger.writer.record([try postbacks.delivery(draft, at: past + 60_000)], importing: nil)
                == [.made(.duplicate(.test))])
        #expect(try await ledger.differences(postbacks.verifier).isEmpty)
        try ledger.close()
    }

    @Test("How far a file was read is there after its commit, and found by its size")
    func progress() throws {
        let ledger = try OpenLedger(store.path)
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        _ = try ledger.writer.record([delivery], importing: file(1))
        _ = try ledger.writer.record([], importing: file(5))
        #expect(try ledger.writer.importedFiles(upTo: 999).isEmpty)
        #expect(try ledger.writer.importedFiles(upTo: 1_000) == [file(5)])
        try ledger.close()
        let again = try OpenLedger(store.path)
        #expect(try again.writer.importedFiles(upTo: 5_000) == [file(5)])
        try again.close()
    }

    @Test("A known id claims its window alone, whatever its letter case, and survives the owner")
    func claims() async throws {
        let writer = try SQLiteLedgerWriter(path: store.path)
        let ids = [
            KnownID(network: "N.skadnetwork", transaction: "ID-1"),
            KnownID(network: "n.skadnetwork", transaction: "id-2", sequenceIndex: 1),
        ]
        #expect(try writer.claim(ids + ids) == 2)
        #expect(try writer.claim(ids) == 0)
        try writer.close()

        let ledger = try OpenLedger(store.path)
        let windows: [(String, Int64, Recording)] = [
            ("id-1", 0, .duplicate(.test)), ("id-1", 1, .recorded(.test)), ("id-2", 0, .recorded(.test)),
            ("ID-2", 1, .duplicate(.test)), ("id-3", 0, .recorded(.test)),
        ]
        let deliveries = try windows.map { try postbacks.delivery(postbacks.draft(id: $0.0, index: $0.1)) }
        #expect(try ledger.record(deliveries) == windows.map(\.2))
        #expect(try ledger.record(deliveries) == deliveries.map { _ in .duplicate(.test) })
        let counts = try await ledger.deliveries()
        #expect(counts.count(.recorded, .test) == 3 && counts.count(.duplicate, .test) == 7)
        #expect(try await ledger.differences(postbacks.verifier).isEmpty)
        try ledger.close()
    }

    @Test("A forged delivery claims nothing, and an id that is claimed is not in the way of another network's")
    func strangers() throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.writer.claim([KnownID(network: "other.skadnetwork", transaction: "id-1")])
        #expect(try ledger.record([try postbacks.delivery(postbacks.draft(id: "id-1"))]) == [.recorded(.test)])
        try ledger.close()
    }
}
