import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import Testing

@Suite("Stores of earlier releases")
struct MigrationTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/stores")

    let store: TemporaryStore

    init() throws {
        store = try TemporaryStore()
    }

    /// Makes the store as an earlier release left it; the second one with postbacks that were not tallied yet.
    private func load(schema: Int) throws {
        let dump = try String(
            contentsOf: Self.fixtures.appendingPathComponent("schema-\(schema).sql"), encoding: .utf8)
        try SQLite.execute(dump, store.path)
    }

    @Test(
        "Everything recorded under an earlier schema is counted as before, and still decides what is a duplicate",
        arguments: [(schema: 1, unverified: 33), (schema: 2, unverified: 59)])
    func counts(schema: Int, unverified: Int64) async throws {
        try load(schema: schema)
        #expect(throws: StoreError.olderSchema(path: store.path)) { try SQLiteLedger(reading: store.path) }
        let ledger = try SQLiteLedger(path: store.path)
        let rows = try await ledger.tallies(
            TallyQuery(dimensions: [.version, .campaignID, .sourceIdentifier], provenance: .test))
        // The first columns of the release that recorded them: dimensions, postbacks, installs, redownloads.
        let lines = try String(
            contentsOf: Self.fixtures.appendingPathComponent("schema-\(schema)-report.csv"), encoding: .utf8
        )
        .split(separator: "\r\n").dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(rows.count == lines.count && rows.count > 20)
        for line in lines {
            let row = rows.first { $0.values == line.prefix(3).map { String($0) } }
            let counts = [Metrics.Counter.postbacks, .installs, .redownloads].map { row?.metrics[$0] }
            #expect(counts == line[3..<6].map { Int64($0) })
        }
        let verifier = try PostbackVerifier()
        // Tallies of an earlier release lack the counters that came later, until they are counted anew.
        _ = try await ledger.recount(repair: true) { verifier.judge($0) }
        let recount = try await ledger.recount(repair: false) { verifier.judge($0) }
        #expect(recount.differences == [])
        #expect(recount.verified == 5 && recount.unverifiedTest == unverified)
        let sample = try #require(try AppleSignedPostback.all().first { $0.name == "skan-4.0-web-fine" })
        let delivery = Delivery(
            judgement: verifier.judge(sample.body), recipient: .network, receivedAtMilliseconds: Postbacks.noon)
        #expect(try await ledger.record([delivery]) == [.duplicate(.apple)])
    }

    @Test("A country recorded before it was a column is found, what is none is not taken for one")
    func country() async throws {
        try load(schema: 1)
        let ledger = try SQLiteLedger(path: store.path)
        let query = TallyQuery(dimensions: [.country], provenance: .test)
        let countries = Set(try await ledger.tallies(query).map(\.values))
        #expect(countries == [[""], ["US"]])
        // Answered from the columns of the ledger this time.
        var slow = query
        slow.received = 1..<4_102_444_800_001
        #expect(Set(try await ledger.tallies(slow)) == Set(try await ledger.tallies(query)))
    }

    @Test("A store that another process records into is not changed by one that is refused")
    func inUse() throws {
        try load(schema: 2)
        // As a process of the earlier release holds it.
        let descriptor = open(store.path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(descriptor) }
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: StoreError.inUse(path: store.path)) { try SQLiteLedger(path: store.path) }
        #expect(throws: StoreError.olderSchema(path: store.path)) { try SQLiteLedger(reading: store.path) }
    }
}
