import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import SQLiteStore
import TestSupport
import Testing

@Suite("Copying a store into another one", .serialized)
struct CopyTests {
    let database: TestDatabase
    private let folder: URL

    init() throws {
        database = try TestDatabase()
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("skan-copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    enum Direction: String, CaseIterable, Sendable {
        case intoDatabase, intoFile, betweenDatabases
    }

    /// A store that is copied and one that it is copied into.
    private struct Pair {
        let source: any LedgerWriting
        let sourceReader: any LedgerCopySource
        let target: any LedgerCopyTarget
        let targetReader: any LedgerReading
        /// The address of the target, when it is a database.
        var targetAddress: String?
    }

    private func pair(_ direction: Direction) throws -> Pair {
        let path = folder.appendingPathComponent("skan.sqlite").path
        switch direction {
        case .intoDatabase:
            let source = try SQLiteLedgerWriter(path: path)
            return Pair(
                source: source, sourceReader: try SQLiteLedgerReader(path),
                target: try PostgreSQLCopyTarget(database.address), targetReader: try database.reader())
        case .intoFile:
            let source = try database.node()
            let target = try SQLiteLedgerWriter(path: path)
            return Pair(
                source: source, sourceReader: try database.reader(), target: target,
                targetReader: try SQLiteLedgerReader(path))
        case .betweenDatabases:
            let text = try database.server.makeDatabase()
            let other = try PostgreSQLAddress(text)
            return Pair(
                source: try database.node(), sourceReader: try database.reader(),
                target: try PostgreSQLCopyTarget(other),
                targetReader: PostgreSQLLedgerReader(other, patience: .seconds(60)),
                targetAddress: text)
        }
    }

    @discardableResult
    private func copy(_ pair: Pair, isStopped: Bool = true) async throws -> LedgerCopier.Summary {
        let verifier = database.verifier
        return try await LedgerCopier(from: pair.sourceReader, to: pair.target) { verifier.judge($0) }
            .run(isStopped: isStopped)
    }

    /// Everything that reports and lists show of a store.
    private struct Contents: Equatable {
        var rows: [LedgerRow] = []
        var deliveries = DeliveryCounts()
        var quarantine: [String] = []
        var totals: [QuarantineTotal] = []

        init(_ reader: any LedgerReading) async throws {
            let answer = try await reader.answer(
                LedgerQuestion(
                    dimensions: [.recipient, .hour, .network, .sourceIdentifier, .conversionValue], traffic: .test))
            rows = Array(answer.rows)
            deliveries = answer.deliveries
            for delivery in try await reader.quarantine(QuarantineQuery(limit: 10_000)) {
                quarantine.append(
                    "\(delivery.kind) \(delivery.receivedAtMilliseconds) \(delivery.reason) \(delivery.client) "
                        + "\(delivery.recipient) \(delivery.postbackID ?? 0) \(delivery.detail) "
                        + String(decoding: delivery.body, as: UTF8.self))
            }
            totals = try await reader.quarantineTotals().filter { $0.count > 0 }.sorted {
                $0.kind.rawValue < $1.kind.rawValue
            }
        }
    }

    private func delivery(
        _ body: [UInt8], _ recipient: Delivery.Recipient = .network, after: Int64 = 0, by judge: PostbackVerifier? = nil
    ) -> Delivery {
        Delivery(
            judgement: (judge ?? database.verifier).judge(body), recipient: recipient,
            receivedAtMilliseconds: TestDatabase.noon + after, client: "192.0.2.1")
    }

    /// Everything that can become of a delivery.
    private func record(_ name: String, _ source: any LedgerWriting) throws {
        let bodies = try (0..<40).map { try database.standIn.sign(database.draft(id: "\(name)-\($0)")) }
        let stranger = try PostbackVerifier()
        _ = try source.record(bodies.enumerated().map { delivery($1, after: Int64($0) * 600_000) })
        _ = try source.record(bodies.prefix(5).map { delivery($0, after: 7_000_000) })
        _ = try source.record(bodies.prefix(7).map { delivery($0, .developer, after: 9_000_000) })
        _ = try source.record(database.contradiction(id: "\(name)-conflict"))
        _ = try source.record([delivery(Array("{\"\(name)\"".utf8)), delivery(Array("[]".utf8))])
        let later = try (0..<3).map { try database.standIn.sign(database.draft(id: "\(name)-later-\($0)")) }
        _ = try source.record(later.map { delivery($0, by: stranger) })
    }

    @Test(
        "In every direction the target has what the source has, which received more meanwhile",
        arguments: Direction.allCases)
    func directions(_ direction: Direction) async throws {
        let pair = try pair(direction)
        try record("first", pair.source)
        #expect(try await copy(pair, isStopped: false).postbacks == 41)
        #expect(try await pair.targetReader.deliveries(received: nil, inBackground: false) == DeliveryCounts())
        try record("second", pair.source)
        // A developer's copy of a postback that was copied, one of the quarantine that counts now, and one that is gone.
        _ = try pair.source.record([
            delivery(try database.standIn.sign(database.draft(id: "first-20")), .developer, after: 10_000_000)
        ])
        let verifier = database.verifier
        #expect(try pair.source.requeue(QuarantineQuery(limit: 4)) { verifier.judge($0) }.judged > 0)
        _ = try pair.source.prune(QuarantineQuery(kind: .garbage, limit: 1))
        let last = try await copy(pair)
        #expect(last.postbacks > 41 && last.quarantined > 0 && last.leftOut == 0 && !last.hadEnded)
        let contents = try await Contents(pair.sourceReader)
        #expect(try await Contents(pair.targetReader) == contents)
        let again = try await copy(pair)
        #expect(again.postbacks == 0 && again.hadEnded)
        #expect(try await Contents(pair.targetReader) == contents)
        for reader in [pair.sourceReader as any LedgerReading, pair.targetReader] {
            #expect(try await reader.recount { verifier.judge($0) }.differences.map(\.description) == [])
        }
    }

    @Test("Postbacks keep the times at which they were recorded", arguments: Direction.allCases)
    func recordedAt(_ direction: Direction) async throws {
        let pair = try pair(direction)
        try record("first", pair.source)
        try await copy(pair)
        func times(_ reader: any LedgerReading) async throws -> [Int64] {
            try await reader.postbacks(PostbackQuery(limit: 100)).map(\.recordedAtMilliseconds)
        }
        #expect(try await times(pair.targetReader) == times(pair.sourceReader))
    }

    @Test("What a source receives after its sums were copied counts as received by the target")
    func late() async throws {
        let pair = try pair(.intoDatabase)
        try record("first", pair.source)
        try await copy(pair)
        #expect(try database.node().record([database.delivery(id: "own")]) == [.recorded(.test)])
        #expect(try pair.source.record([database.delivery(id: "own"), database.delivery(id: "late")]).count == 2)
        #expect(try await copy(pair).postbacks == 1)
        let answer = try await pair.targetReader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 43 && answer.deliveries.count(.recorded, .test) == 43)
        #expect(try await database.differences() == [])
    }

    @Test("A store that recorded before the first copy, or before the last one, is no target")
    func notEmpty() async throws {
        let pair = try pair(.intoDatabase)
        let path = try database.address.description
        try record("first", pair.source)
        try await copy(pair, isStopped: false)
        _ = try database.node().record([database.delivery(id: "a")])
        for isStopped in [false, true] {
            await #expect(throws: LedgerCopyError.recordedItself(path: path)) {
                try await copy(pair, isStopped: isStopped)
            }
        }
        try database.sql("DROP TABLE skan.copy_source")
        await #expect(throws: LedgerCopyError.notEmpty(path: path)) { try await copy(pair) }
    }

    @Test("A store is not copied into itself under another name, and nothing changes", arguments: Direction.allCases)
    func sameStore(_ direction: Direction) async throws {
        let pair = try pair(direction)
        try record("own", pair.source)
        let before = try await Contents(pair.sourceReader)
        let itself: any LedgerCopyTarget
        if let writer = pair.source as? SQLiteLedgerWriter {
            itself = writer
        } else {
            itself = try PostgreSQLCopyTarget(database.address)
        }
        let verifier = database.verifier
        await #expect {
            try await LedgerCopier(from: pair.sourceReader, to: itself) { verifier.judge($0) }.run(isStopped: true)
        } throws: { error in
            if case LedgerCopyError.same = error { true } else { false }
        }
        #expect(try await Contents(pair.sourceReader) == before)
    }

    @Test("Postbacks whose bytes are gone are left out, and said to be")
    func lost() async throws {
        let pair = try pair(.intoFile)
        try record("first", pair.source)
        try database.sql("DELETE FROM skan.postback_body WHERE id IN (3, 5)")
        let summary = try await copy(pair)
        #expect(summary.postbacks == 39 && summary.leftOut == 2 && summary.leftOutIDs == [3, 5])
    }

    @Test("Bodies get partitions for the months in which they were recorded")
    func partitions() async throws {
        let pair = try pair(.betweenDatabases)
        try record("first", pair.source)
        for (month, ids) in [("2025-01-15", "id <= 20"), ("2025-02-15", "id > 20")] {
            try database.sql("UPDATE skan.postback SET recorded_at = '\(month)' WHERE \(ids)")
            try database.sql("UPDATE skan.postback_body SET recorded_at = '\(month)' WHERE \(ids)")
        }
        try await copy(pair)
        let target = try #require(pair.targetAddress)
        #expect(try database.server.sql("SELECT count(*) FROM skan.postback_body_2025_01", database: target) == "20")
    }

    @Test("Ids known by themselves are claimed in the target too, and never count there")
    func knownIDs() async throws {
        let pair = try pair(.intoDatabase)
        let source = try #require(pair.source as? SQLiteLedgerWriter)
        let body = try database.standIn.sign(database.draft(id: "before"))
        let key = try ReceivedPostback(reading: body).key
        #expect(try source.claim([KnownID(key)]) == 1)
        try record("first", pair.source)
        try await copy(pair)
        let node = try database.node()
        #expect(try node.record([delivery(body), delivery(body)]) == [.duplicate(.test), .duplicate(.test)])
        #expect(try node.record([database.delivery(id: "other")]) == [.recorded(.test)])
        #expect(try await database.differences() == [])
    }

    @Test("Web ads are answered at the target as they would have been at the source", arguments: [true, false])
    func webAds(_ isIntoDatabase: Bool) async throws {
        try SchemaMigrator.migrate(database.address)
        let file = try SQLiteWebAdLedger(path: folder.appendingPathComponent("skan.sqlite-web-ads").path)
        let table = PostgreSQLWebAdLedger(try database.address) { TestDatabase.noon }
        let source: any WebAdCopying = isIntoDatabase ? file : table
        let target: any WebAdCopying = isIntoDatabase ? table : file
        let now = UnixMilliseconds(rawValue: TestDatabase.noon)
        var generator = SystemRandomNumberGenerator()
        let ads = try [["example.com"], []].map { domains in
            try WebAdRequest(
                adNetworkID: "example123.skadnetwork", itunesItemID: 10_738_027_756, sourceIdentifier: 3_120,
                sourceDomains: domains, attributionDestination: "https://network.example"
            ).checked(nonce: Nonce(using: &generator), issuedAt: now).ad
        }
        try await source.issue(ads, at: now)
        let signer = try ImpressionSigner(.generate(.p256))
        let domain = try #require(SourceDomain("example.com"))
        func isAnswered(_ ledger: any WebAdCopying, _ ad: WebAd) throws -> Bool {
            let tap = ReceivedTap(WebAdTap(nonce: ad.nonce, sourceDomain: domain), at: now)
            let answers = try ledger.answer([tap]) { impressions in
                impressions.map { impression in Result { try signer.sign(impression) } }
            }
            if case .signed? = answers.first {
                return true
            }
            return false
        }
        #expect(try isAnswered(source, ads[0]))
        #expect(try await target.copyAll(from: source) == 2)
        #expect(try await target.ads(after: "", limit: 10) == source.ads(after: "", limit: 10))
        #expect(try !isAnswered(target, ads[0]))
        #expect(try isAnswered(target, ads[1]))
        #expect(try await target.copyAll(from: source) == 0)
    }
}
