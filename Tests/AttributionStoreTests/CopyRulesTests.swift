import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import SQLiteStore
import Testing

@Suite("The rules of copying a store, into every kind of store", .serialized)
struct CopyRulesTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    private var targetPath: String {
        store.path + "-copy"
    }

    private func differences(_ reader: any LedgerReading) async throws -> [String] {
        let verifier = postbacks.verifier
        return try await reader.recount { verifier.judge($0) }.differences.map(\.description)
    }

    @Test(
        "A postback that the source recorded before its id was claimed counts in the copy", arguments: LedgerFactory.all
    )
    func recordedAndClaimed(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let delivery = try postbacks.delivery(postbacks.draft(id: "early"))
        guard case .verified(let verified) = delivery.judgement else {
            throw CancellationError()
        }
        #expect(try source.record([delivery]) == [.recorded(.test)])
        _ = try source.writer.claim([KnownID(verified.postback.key)])
        #expect(try await target.copy(source.reader, postbacks).postbacks == 1)
        let answer = try await target.reader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 1)
        #expect(try await differences(target.reader) == [])
    }

    @Test("A file that the source imported is not imported again into the target", arguments: LedgerFactory.all)
    func importedFiles(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        func file(_ number: UInt8, _ records: Int64) -> ImportedFile {
            ImportedFile(digest: Array(repeating: number, count: 32), bytes: 1_000 + Int64(number), records: records)
        }
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        _ = try source.writer.record([delivery], importing: file(1, 5))
        _ = try source.writer.record([], importing: file(2, 7))
        try await target.copy(source.reader, postbacks)
        #expect(try target.writer.importedFiles(upTo: 2_000) == [file(1, 5), file(2, 7)])
        #expect(try target.writer.record([delivery], importing: nil) == [.known])
    }

    @Test("Our networks are the source's", arguments: LedgerFactory.all)
    func networks(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let own = LedgerSettings(networks: OwnNetworks(["other123.skadnetwork"]))
        let source = try SQLiteLedgerWriter(path: store.path, settings: own)
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        _ = try source.record([delivery])
        let reader = try SQLiteLedgerReader(store.path)
        try await target.copy(reader, postbacks)
        target.reader.close()
        try target.writer.close()
        let next = try factory.open(targetPath)
        #expect(try next.record([delivery]) == source.record([delivery]))
    }

    @Test(
        "The quarantine is copied whatever the budgets, and judged again as in the source", arguments: LedgerFactory.all
    )
    func quarantine(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let stranger = try PostbackVerifier()
        let unknown = try ["a", "b", "c"].map { id in
            Delivery(
                judgement: stranger.judge(try postbacks.standIn.sign(postbacks.draft(id: id))), recipient: .network,
                receivedAtMilliseconds: Postbacks.noon)
        }
        let garbage = (0..<100).map { postbacks.delivery(Array("{\"number\": \($0)}".utf8)) }
        _ = try source.record(unknown + garbage)
        #expect(try await target.copy(source.reader, postbacks).quarantined == 103)
        #expect(try await target.quarantine().count == 103)
        let verifier = postbacks.verifier
        for writer in [source.writer as any LedgerWriting, target.writer] {
            #expect(try writer.requeue(QuarantineQuery()) { verifier.judge($0) }.recorded == 3)
        }
        let counts = try await target.reader.deliveries(received: nil, inBackground: false)
        #expect(try await counts == source.reader.deliveries(received: nil, inBackground: false))
        #expect(try await differences(target.reader) == [])
    }

    // MARK: What is left out

    /// Makes a source whose postbacks came at times of their own, half of them as copies for developers.
    private func fill(_ count: Int) throws {
        let source = try OpenLedger(store.path)
        _ = try source.record(
            try (0..<count).map { number in
                Delivery(
                    judgement: postbacks.verifier.judge(try postbacks.standIn.sign(postbacks.draft(id: "\(number)"))),
                    recipient: number % 2 == 0 ? .network : .developer,
                    receivedAtMilliseconds: Postbacks.noon + Int64(number))
            })
        try source.close()
    }

    @Test(
        "Postbacks with another one's bytes, and those that do not verify under the key they name, are left out and named",
        arguments: LedgerFactory.all,
        [
            "UPDATE postback_body SET id = -id WHERE id IN (3, 4); UPDATE postback_body SET id = 7 + id WHERE id < 0",
            "UPDATE postback SET key_digest = (SELECT key_digest FROM postback WHERE id = 5) WHERE id IN (3, 4)",
            "UPDATE postback SET traffic = 'apple', key_name = 'apple-p256' WHERE id IN (3, 4)",
        ])
    func leftOut(_ factory: LedgerFactory, _ damage: String) async throws {
        try fill(9)
        try SQLite.execute(damage, store.path)
        let target = try factory.openTarget(targetPath)
        let source = try SQLiteLedgerReader(store.path)
        defer { source.close() }
        let summary = try await target.copy(source, postbacks)
        #expect(summary.postbacks == 7 && summary.leftOut == 2 && summary.leftOutIDs == [3, 4])
        for postback in try await target.reader.postbacks(PostbackQuery(limit: 9)) {
            let body = try #require(postback.body)
            let number = try #require(Int64(ReceivedPostback(reading: body).key.transactionID.text))
            #expect(postback.receivedAtMilliseconds == Postbacks.noon + number)
            #expect(postback.recipient == (number % 2 == 0 ? .network : .developer))
        }
    }

    @Test("Test postbacks whose key is not named are taken over", arguments: LedgerFactory.all)
    func withoutKey(_ factory: LedgerFactory) async throws {
        try fill(9)
        let target = try factory.openTarget(targetPath)
        let source = try SQLiteLedgerReader(store.path)
        defer { source.close() }
        let verifier = try PostbackVerifier()
        let copier = LedgerCopier(from: source, to: target.target) { verifier.judge($0) }
        #expect(try await copier.run(isStopped: true).postbacks == 9)
        #expect(try await differences(target.reader) == [])
    }
}
