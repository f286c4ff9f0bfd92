import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import Testing

@Suite("The ledger")
struct PostbackLedgerTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func total(_ ledger: OpenLedger, _ traffic: Traffic = .test) async throws -> Metrics {
        try await ledger.tallies(TallyQuery(dimensions: [], traffic: traffic)).first?.metrics ?? Metrics()
    }

    @Test("A postback counts once, within a batch and across batches")
    func duplicates() async throws {
        let ledger = try OpenLedger(store.path)
        let body = try postbacks.standIn.sign(postbacks.draft(id: "a"))
        let delivery = postbacks.delivery(body)
        #expect(try ledger.record([delivery, delivery]) == [.recorded(.test), .duplicate(.test)])
        #expect(try ledger.record([delivery]) == [.duplicate(.test)])
        #expect(try await total(ledger)[.installs] == 1)
        let counts = try await ledger.deliveries(received: nil)
        #expect(counts.received == 3)
        #expect(counts.count(.recorded, .test) == 1)
        #expect(counts.count(.duplicate, .test) == 2)
    }

    @Test("The key is network, transaction id and sequence index, as received")
    func keys() async throws {
        let ledger = try OpenLedger(store.path)
        let recordings = try ledger.record([
            postbacks.delivery(postbacks.draft(id: "a")),
            postbacks.delivery(postbacks.draft(id: "a", index: 1)),
            postbacks.delivery(postbacks.draft(id: "a", index: 2)),
            postbacks.delivery(postbacks.draft(id: "A")),
            postbacks.delivery(postbacks.draft(id: "a", network: "N.skadnetwork")),
        ])
        #expect(recordings == Array(repeating: .recorded(.test), count: 5))
        #expect(try await total(ledger)[.installs] == 3)
    }

    @Test("A copy with another conversion value is a conflict: kept, not counted")
    func conflicts() async throws {
        let ledger = try OpenLedger(store.path)
        var draft = postbacks.draft(id: "a")
        draft[.conversionValue] = .integer(0)
        let first = try postbacks.standIn.sign(draft)
        let signature = try ReceivedPostback(reading: first).signature
        var later: [Delivery] = [postbacks.delivery(first)]
        for value in [JSONValue.integer(1), .null, nil] {
            draft[.conversionValue] = value
            later.append(postbacks.delivery(draft.body(signature: signature)))
        }
        let conflict = Recording.conflict(.test)
        #expect(try ledger.record(later) == [.recorded(.test), conflict, conflict, conflict])
        #expect(try await total(ledger)[.conversion(.fine(0))] == 1)
        #expect(try await total(ledger)[.postbacks] == 1)
    }

    @Test("A second signature over the same text is a duplicate")
    func otherSignature() async throws {
        let ledger = try OpenLedger(store.path)
        let draft = postbacks.draft(id: "a")
        let recordings = try ledger.record([postbacks.delivery(draft), postbacks.delivery(draft)])
        #expect(recordings == [.recorded(.test), .duplicate(.test)])
    }

    @Test("A test key can neither enter Apple's numbers nor claim one of Apple's ids")
    func provenance() async throws {
        let ledger = try OpenLedger(store.path)
        let genuine = try postbacks.genuine()
        guard case .verified(let verified) = genuine.judgement else {
            Issue.record("the published postback does not verify")
            return
        }
        // The same postback signed with a test key comes first.
        guard case .skAdNetwork(let postback) = verified.postback else {
            Issue.record("the published postback is of another framework")
            return
        }
        let copy = try postbacks.delivery(PostbackDraft(postback))
        #expect(
            try ledger.record([copy, genuine, genuine]) == [
                .recorded(.test), .recorded(.apple), .duplicate(.apple),
            ])
        #expect(try await total(ledger, .apple)[.postbacks] == 1)
        #expect(try await total(ledger, .test)[.postbacks] == 1)
    }

    @Test("What does not verify claims nothing, and is kept with its reason")
    func quarantine() async throws {
        let ledger = try OpenLedger(store.path)
        let body = try postbacks.standIn.sign(postbacks.draft(id: "a"))
        let forged = try Tampering.changes(of: ReceivedPostback(reading: body)).map { postbacks.delivery($0.body) }
        for recording in try ledger.record(forged) {
            #expect(recording?.status == .quarantined)
        }
        #expect(try ledger.record([postbacks.delivery(body)]) == [.recorded(.test)])
        let counts = try await ledger.deliveries(received: nil)
        #expect(counts.quarantined(.invalidSignature) == Int64(forged.count))
        #expect(counts.notKept == 0)
    }

    @Test(
        "Tallies and ledger give the same answer to every question",
        arguments: [
            [], [.network], [.app, .campaignID, .sourceIdentifier], [.sourceApp, .sourceDomain],
            [.version, .fidelity, .redownload, .sequenceIndex],
            [.framework], [.framework, .conversionType, .marketplace, .country, .interactionType],
        ] as [[ReportDimension]])
    func sameAnswers(_ dimensions: [ReportDimension]) async throws {
        // Some are tallied, some are not yet.
        let ledger = try OpenLedger(store.path, tallyInterval: 64)
        let plan = try TrafficPlan(postbacks: 300, seed: 7, shares: TrafficShares(), standIn: postbacks.standIn)
        for delivery in plan.deliveries {
            _ = try ledger.record([postbacks.delivery(delivery.body)])
        }
        let day: Int64 = 86_400_000
        let start = Postbacks.noon / day * day
        // One millisecond less than a whole day cannot be answered from tallies by day.
        let fromTallies = try await ledger.tallies(
            TallyQuery(dimensions: dimensions, received: start..<(start + day), traffic: .test))
        let fromLedger = try await ledger.tallies(
            TallyQuery(dimensions: dimensions, received: start..<(start + day - 1), traffic: .test))
        #expect(!fromTallies.isEmpty)
        #expect(Set(fromTallies) == Set(fromLedger))
        let filter = TallyQuery.Filter(dimension: .app, value: "525463029")
        let filtered = try await [start + day, start + day - 1].asyncMap { end in
            Set(
                try await ledger.tallies(
                    TallyQuery(dimensions: dimensions, filters: [filter], received: start..<end, traffic: .test)))
        }
        #expect(filtered[0] == filtered[1] && filtered[0] != Set(fromTallies))
    }

    @Test("Recounting from the raw bytes finds no difference, and finds one that was made")
    func recount() async throws {
        let plan = try TrafficPlan(postbacks: 200, seed: 3, shares: TrafficShares(), standIn: postbacks.standIn)
        let verifier = postbacks.verifier
        do {
            let ledger = try OpenLedger(store.path, tallyInterval: 150)
            for deliveries in [plan.deliveries.prefix(100), plan.deliveries.dropFirst(100)] {
                _ = try ledger.record(deliveries.map { postbacks.delivery($0.body) })
            }
            _ = try ledger.record([try postbacks.genuine()])
            let recount = try await ledger.recount(verifier)
            #expect(recount.differences == [])
            #expect(recount.postbacks == 201 && recount.verified == 201)
            let withoutKey = try PostbackVerifier()
            let partial = try await ledger.recount(withoutKey)
            #expect(partial.differences == [])
            #expect(partial.verified == 1 && partial.unverifiedTest == 200)
            try ledger.close()
        }
        // Each app with a row without a campaign, and in it one postback and nothing else; the bytes of the family and
        // of the counter are 0.
        try SQLite.execute("UPDATE tally SET counts = X'000000020001'", store.path)
        let ledger = try OpenLedger(store.path)
        #expect(try await !ledger.differences(verifier).isEmpty)
        #expect(try await ledger.repair(verifier).isWhole)
        #expect(try await ledger.differences(verifier) == [])
    }

    @Test(
        "A column that does not say what the bytes say is found and mended: reports are read from it too",
        arguments: ["did_win = 'false'", "conversion = '63'", "app_id = '1'", "country = 'US'"])
    func tamperedColumn(_ change: String) async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record([try postbacks.genuine(), try postbacks.delivery(postbacks.draft(id: "a"))])
        try SQLite.execute("UPDATE postback SET \(change) WHERE id = 2", store.path)
        let verifier = postbacks.verifier
        let found = try await ledger.repair(verifier).found
        #expect(found.count == 1 && found[0].hasPrefix("postback 2: its columns"), "\(found)")
        #expect(try await ledger.differences(verifier) == [])
    }

    @Test("A postback changed inside the store is found")
    func tamperedStore() async throws {
        do {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record([try postbacks.genuine()])
            try ledger.close()
        }
        try SQLite.execute(
            "UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '525463029', '525463028') AS BLOB)",
            store.path
        )
        let verifier = postbacks.verifier
        let differences = try await OpenLedger(store.path).differences(verifier)
        #expect(differences.contains { $0.contains("does not verify again") })
    }

    @Test("One process records into a store; others may read it; the next one finds what was recorded")
    func oneWriter() async throws {
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        do {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record([delivery])
            #expect(throws: StoreError.inUse(path: store.path)) { try OpenLedger(store.path) }
            let rows = try await LedgerReader(store.path).tallies(TallyQuery(dimensions: [], traffic: .test))
            #expect(rows.first?.metrics[.postbacks] == 1)
            try ledger.close()
        }
        let next = try OpenLedger(store.path)
        #expect(try next.record([delivery]) == [.duplicate(.test)])
    }

    @Test("A batch that fails leaves nothing behind, neither in the file nor in the index")
    func rollback() async throws {
        let ledger = try OpenLedger(store.path)
        let first = try postbacks.delivery(postbacks.draft(id: "a"))
        try SQLite.execute(
            "CREATE TRIGGER full BEFORE INSERT ON postback WHEN new.transaction_id = 'full' "
                + "BEGIN SELECT RAISE(ABORT, 'disk full'); END", store.path)
        let failing = try postbacks.delivery(postbacks.draft(id: "full"))
        #expect(throws: (any Error).self) { try ledger.record([first, failing]) }
        #expect(try await ledger.deliveries(received: nil).received == 0)
        #expect(try ledger.record([first, first]) == [.recorded(.test), .duplicate(.test)])
        let verifier = postbacks.verifier
        #expect(try await ledger.differences(verifier) == [])
    }

    @Test("A missing store is not made by reading it; another file is no store")
    func opening() throws {
        #expect(throws: StoreError.missing(path: store.path)) { try LedgerReader(store.path) }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        try Data("something else, long enough to be read as the head of a file".utf8).write(
            to: URL(fileURLWithPath: store.path))
        #expect(throws: (any Error).self) { try LedgerReader(store.path) }
        #expect(throws: (any Error).self) { try OpenLedger(store.path) }
        let path = "/nonexistent/skan.sqlite"
        #expect(throws: StoreError.noFolder(path: path, folder: "/nonexistent")) { try OpenLedger(path) }
    }

    @Test("Commits are durable: WAL, and synchronous FULL on the writing connection")
    func durability() async throws {
        let ledger = try OpenLedger(store.path)
        let settings = try ledger.writer.durabilitySettings()
        #expect(settings == ["journal_mode": "wal", "synchronous": "2"])
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self {
            results.append(try await transform(element))
        }
        return results
    }
}
