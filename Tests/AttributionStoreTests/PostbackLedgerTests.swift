import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("The ledger")
struct PostbackLedgerTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func total(_ ledger: OpenLedger, _ traffic: Traffic = .test) async throws -> Counts {
        try await ledger.totals(traffic)
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

    @Test("Postbacks signed with a test key neither count as Apple's nor claim their ids")
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

    @Test("A body that does not verify claims no id, and is kept with its reason")
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

    @Test("A recount finds no difference, and finds one made with SQL")
    func recount() async throws {
        var traffic = try ScenarioTraffic(
            await World.plain(count: 200, seed: 3), seed: 3, standIn: postbacks.standIn)
        let bodies = try #require(try await traffic.next()).map(\.body)
        let verifier = postbacks.verifier
        do {
            let ledger = try OpenLedger(store.path)
            for part in [bodies.prefix(100), bodies.dropFirst(100)] {
                _ = try ledger.record(part.map { postbacks.delivery($0) })
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
        try SQLite.execute("UPDATE delivery SET count = 0 WHERE status = 'recorded'", store.path)
        let ledger = try OpenLedger(store.path)
        #expect(try await !ledger.differences(verifier).isEmpty)
        #expect(try await ledger.repair(verifier).isWhole)
        #expect(try await ledger.differences(verifier) == [])
    }

    @Test("A recount finds a postback changed in the store")
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

    @Test("One process records, others may read, and the next owner finds what was recorded")
    func oneWriter() async throws {
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        do {
            let ledger = try OpenLedger(store.path)
            _ = try ledger.record([delivery])
            #expect(throws: StoreError.inUse(path: store.path)) { try OpenLedger(store.path) }
            let answer = try await SQLiteLedgerReader(store.path).answer(LedgerQuestion(traffic: .test))
            #expect(answer.totals[.postbacks] == 1)
            try ledger.close()
        }
        let next = try OpenLedger(store.path)
        #expect(try next.record([delivery]) == [.duplicate(.test)])
    }

    @Test("A failed batch leaves nothing behind, in the file or the index")
    func rollback() async throws {
        let ledger = try OpenLedger(store.path)
        let first = try postbacks.delivery(postbacks.draft(id: "a"))
        try SQLite.execute(
            "CREATE TRIGGER full BEFORE INSERT ON postback WHEN new.id = 2 "
                + "BEGIN SELECT RAISE(ABORT, 'disk full'); END", store.path)
        let failing = try postbacks.delivery(postbacks.draft(id: "full"))
        #expect(throws: (any Error).self) { try ledger.record([first, failing]) }
        #expect(try await ledger.deliveries(received: nil).received == 0)
        #expect(try ledger.record([first, first]) == [.recorded(.test), .duplicate(.test)])
        let verifier = postbacks.verifier
        #expect(try await ledger.differences(verifier) == [])
    }

    @Test("Reading does not create a missing store, and refuses other files")
    func opening() throws {
        #expect(throws: StoreError.missing(path: store.path)) { try SQLiteLedgerReader(store.path) }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        try Data("something else, long enough to be read as the head of a file".utf8).write(
            to: URL(fileURLWithPath: store.path))
        #expect(throws: (any Error).self) { try SQLiteLedgerReader(store.path) }
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
