import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Testing

@Suite("Tallies of one app")
struct TallyTests {
    let postbacks: Postbacks
    let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    @Test("More sources than one value of the store is to hold are counted all the same, and each source once")
    func parts() async throws {
        let ledger = try SQLiteLedger(path: store.path, tallyInterval: 400)
        // Each source has a second postback long after the first, when its first is in a part that is full.
        for batch in 0..<8 {
            let deliveries = try (0..<400).map { place in
                let number = batch * 400 + place
                var draft = postbacks.draft(id: "\(number)")
                draft[.sourceDomain] = .string("a-rather-long-name-of-the-site-\(number % 1_600).example.com")
                return try postbacks.delivery(draft)
            }
            _ = try await ledger.record(deliveries)
        }
        let counts = try SQLite.query("SELECT count(*), max(part) FROM tally", store.path)
        #expect(counts == "4|3")

        let day: Int64 = 86_400_000
        let start = Postbacks.noon / day * day
        func rows(_ dimensions: [ReportDimension], to end: Int64) async throws -> [TallyRow] {
            try await ledger.tallies(
                TallyQuery(dimensions: dimensions, received: start..<end, provenance: .test))
        }
        let bySource = try await rows([.sourceDomain], to: start + day)
        #expect(bySource.count == 1_600 && bySource.allSatisfy { $0.metrics[.postbacks] == 2 })
        #expect(try await rows([.app], to: start + day).map { $0.metrics[.postbacks] } == [3_200])
        // One millisecond less than a day is counted from the ledger.
        #expect(Set(bySource) == Set(try await rows([.sourceDomain], to: start + day - 1)))
        let verifier = postbacks.verifier
        #expect(try await ledger.recount(repair: false) { verifier.judge($0) }.differences == [])
    }

    @Test(
        "A value that is no tally is named by the recount, fails a report, and is mended",
        arguments: [
            "", "01", "0100", "010000", "01000005", "010000020A01", "01000002", "0100FFFFFFFFFFFFFFFFFF01",
            "0100000200",
            "01FFFFFFFFFFFFFFFFFFFF01", "0100000280", "0400000000",
        ])
    func damage(_ hex: String) async throws {
        let verifier = postbacks.verifier
        let ledger = try SQLiteLedger(path: store.path, tallyInterval: 1)
        _ = try await ledger.record([try postbacks.delivery(postbacks.draft(id: "a"))])
        try SQLite.execute("UPDATE tally SET counts = X'\(hex)'", store.path)
        let found = try await ledger.recount(repair: false) { verifier.judge($0) }.differences
        #expect(found.contains { $0.hasPrefix("tally of day 20778, test skadnetwork n.skadnetwork 525463029") })
        let query = TallyQuery(dimensions: [.sourceApp], provenance: .test)
        if hex.isEmpty {
            #expect(try await ledger.tallies(query).isEmpty)
        } else {
            await #expect(throws: (any Error).self) { try await ledger.tallies(query) }
        }
        #expect(try await ledger.recount(repair: true) { verifier.judge($0) }.isRepaired)
        #expect(try await ledger.recount(repair: false) { verifier.judge($0) }.differences == [])
        #expect(try await ledger.tallies(query).map { $0.metrics[.postbacks] } == [1])
    }
}
