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
        let ledger = try OpenLedger(store.path, tallyInterval: 400)
        // Each source has a second postback long after the first, when its first is in a part that is full.
        for batch in 0..<8 {
            let deliveries = try (0..<400).map { place in
                let number = batch * 400 + place
                var draft = postbacks.draft(id: "\(number)")
                draft[.sourceDomain] = .string("a-rather-long-name-of-the-site-\(number % 1_600).example.com")
                return try postbacks.delivery(draft)
            }
            _ = try ledger.record(deliveries)
        }
        let counts = try SQLite.query("SELECT count(*), max(part) FROM tally", store.path)
        #expect(counts == "4|3")

        func rows(_ dimensions: [ReportDimension]) async throws -> [TallyRow] {
            try await ledger.tallies(TallyQuery(dimensions: dimensions, traffic: .test))
        }
        let bySource = try await rows([.sourceDomain])
        #expect(bySource.count == 1_600 && bySource.allSatisfy { $0.metrics[.postbacks] == 2 })
        #expect(try await rows([.app]).map { $0.metrics[.postbacks] } == [3_200])
        try await expectExact(ledger.reader, 3_200)
    }

    @Test(
        "A value that is no tally is named by the recount, fails a report, and is mended",
        arguments: [
            "", "01", "0100", "010000", "01000005", "010000020B01", "01000002", "0100FFFFFFFFFFFFFFFFFF01",
            "0100000200",
            "01FFFFFFFFFFFFFFFFFFFF01", "0100000280", "0400000000",
            "0100000A00FFFFFFFFFFFFFFFF7F", "0100000B0080808080808080808002",
        ])
    func damage(_ hex: String) async throws {
        let verifier = postbacks.verifier
        let ledger = try OpenLedger(store.path, tallyInterval: 1)
        _ = try ledger.record([try postbacks.delivery(postbacks.draft(id: "a"))])
        try SQLite.execute("UPDATE tally SET counts = X'\(hex)'", store.path)
        let found = try await ledger.differences(verifier)
        #expect(found.contains { $0.hasPrefix("tally of day 20778, test skadnetwork n.skadnetwork 525463029") })
        let query = TallyQuery(dimensions: [.sourceApp], traffic: .test)
        if hex.isEmpty {
            #expect(try await ledger.tallies(query).isEmpty)
        } else {
            await #expect(throws: (any Error).self) { try await ledger.tallies(query) }
        }
        #expect(try await ledger.repair(verifier).isWhole)
        #expect(try await ledger.differences(verifier) == [])
        #expect(try await ledger.tallies(query).map { $0.metrics[.postbacks] } == [1])
    }

    /// Postbacks of some apps and sources.
    private func deliveries(_ numbers: Range<Int>, apps: Int = 7) throws -> [Delivery] {
        try numbers.map { number in
            var draft = postbacks.draft(id: "\(number)")
            draft[.appID] = .integer(Int64(1_000 + number % apps))
            draft[.sourceAppID] = .integer(Int64(number % 977))
            return try postbacks.delivery(draft)
        }
    }

    /// Every family says what the ledger says, and the recount finds nothing.
    private func expectExact(_ ledger: LedgerReader, _ count: Int64) async throws {
        let day: Int64 = 86_400_000
        let start = Postbacks.noon / day * day
        for dimension in [ReportDimension.app, .sourceApp, .sourceDomain, .sourceIdentifier, .version, .country] {
            var query = TallyQuery(dimensions: [dimension], received: start..<(start + day), traffic: .test)
            let tallied = try await ledger.tallies(query)
            // One millisecond less than a day is counted from the ledger.
            query.received = start..<(start + day - 1)
            #expect(Set(tallied) == Set(try await ledger.tallies(query)), "\(dimension)")
            #expect(tallied.reduce(0) { $0 + $1.metrics[.postbacks] } == count, "\(dimension)")
        }
        let verifier = postbacks.verifier
        #expect(try await ledger.recount { verifier.judge($0) }.differences == [])
    }

    @Test("A few postbacks of an app with much are not worth writing all of it again")
    func smallParts() async throws {
        let ledger = try OpenLedger(store.path, tallyInterval: 1)
        _ = try ledger.record(try deliveries(0..<300, apps: 1))
        for number in 300..<310 {
            _ = try ledger.record(try deliveries(number..<(number + 1), apps: 1))
        }
        #expect(
            try SQLite.query("SELECT part, length(counts) > 1024 FROM tally ORDER BY part", store.path) == "0|1\n1|0")
        try await expectExact(ledger.reader, 310)
    }

    @Test("More apps than the tallies may wait with are written, and counted exactly")
    func manyApps() async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try deliveries(0..<4_000, apps: 4_200))
        #expect(try SQLite.query("SELECT count(*) FROM tally", store.path) == "0")
        _ = try ledger.record(try deliveries(4_000..<4_150, apps: 4_200))
        #expect(try SQLite.query("SELECT count(*) FROM tally", store.path) == "4150")
        try await expectExact(ledger.reader, 4_150)
    }

    @Test("A damaged tally stops nobody from recording, and is mended beside what is not tallied yet")
    func damageBesideBacklog() async throws {
        let verifier = postbacks.verifier
        let ledger = try OpenLedger(store.path, tallyInterval: 10)
        _ = try ledger.record(try deliveries(0..<10, apps: 1))
        try SQLite.execute("UPDATE tally SET counts = X'05'", store.path)
        for batch in 1..<4 {
            _ = try ledger.record(try deliveries((batch * 10)..<(batch * 10 + 10), apps: 1))
        }
        _ = try ledger.record(try deliveries(40..<43, apps: 1))
        #expect(try await !ledger.differences(verifier).isEmpty)
        #expect(try await ledger.repair(verifier).isWhole)
        try await expectExact(ledger.reader, 43)
        _ = try ledger.record(try deliveries(43..<60, apps: 1))
        try await expectExact(ledger.reader, 60)
        try ledger.close()
        try await expectExact(try LedgerReader(store.path), 60)
    }

    @Test("A commit that fails leaves nothing behind, whatever was tallied in it", arguments: [1, 10, 16_384])
    func commitFails(interval: Int) async throws {
        let ledger = try OpenLedger(store.path, tallyInterval: interval)
        _ = try ledger.record(try deliveries(0..<25))
        // A deferred reference to nothing is found by COMMIT alone.
        try SQLite.execute(
            "CREATE TABLE trap (row INTEGER REFERENCES postback (id) DEFERRABLE INITIALLY DEFERRED);"
                + "CREATE TRIGGER late AFTER INSERT ON postback WHEN new.transaction_id = '30' "
                + "BEGIN INSERT INTO trap VALUES (-5); END", store.path)
        let batch = try deliveries(25..<40)
        for _ in 0..<2 {
            #expect(throws: (any Error).self) { try ledger.record(batch) }
            #expect(throws: (any Error).self) { try ledger.record(batch) }
        }
        try await expectExact(ledger.reader, 25)
        try SQLite.execute("DROP TRIGGER late", store.path)
        #expect(try ledger.record(batch).allSatisfy { $0 == .recorded(.test) })
        #expect(try ledger.record(batch).allSatisfy { $0 == .duplicate(.test) })
        try await expectExact(ledger.reader, 40)
        try ledger.close()
        try await expectExact(try LedgerReader(store.path), 40)
    }
}
