import Attribution
import AttributionHarness
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import SQLiteStore
import ServiceLifecycle
import StrictJSON
import TestSupport
import Testing

@Suite("Ingesting")
struct IngestorTests {
    let path: String
    let standIn: AppleStandIn

    init() throws {
        path = NSTemporaryDirectory() + "skan-ingest-\(UUID().uuidString).sqlite"
        standIn = try AppleStandIn()
    }

    /// An owner of a store, and a reader of it.
    private struct Store {
        let writer: SQLiteLedgerWriter
        let reader: SQLiteLedgerReader

        init(_ path: String, _ budgets: QuarantineBudgets = QuarantineBudgets()) throws {
            writer = try SQLiteLedgerWriter(path: path, settings: LedgerSettings(budgets: budgets))
            reader = try SQLiteLedgerReader(path)
        }
    }

    /// Runs `body` with a running ingestor, and then closes it.
    private func withIngestor(
        limits: BatchLimits = .postbacks,
        budgets: QuarantineBudgets = QuarantineBudgets(),
        logger: Logger = Logger(label: "test"),
        _ body: (Ingestor, Store) async throws -> Void
    ) async throws {
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let ledger = try Store(path, budgets)
        let ingestor = Ingestor(
            verifier: try PostbackVerifier(testKeys: standIn.publicKeys()), ledger: ledger.writer, limits: limits,
            logger: logger)
        async let running: Void = ingestor.run()
        try await body(ingestor, ledger)
        ingestor.close()
        try await running
    }

    private func status(_ outcome: IngestOutcome) -> String {
        switch outcome {
        case .durable(let recording, _): recording.status.rawValue
        case .refused: "refused"
        case .overloaded: "overloaded"
        case .quarantineFull: "quarantine full"
        case .undecided: "undecided"
        case .storeFailed: "store failed"
        }
    }

    @Test("Of 64 concurrent senders of one postback one is recorded, and 63 are duplicates")
    func concurrency() async throws {
        let body = try AppleSignedPostback.all()[4].body
        try await withIngestor { ingestor, ledger in
            let statuses = await withTaskGroup(of: String.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        status(
                            await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 1_795_262_400_000))
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == ["recorded": 1, "duplicate": 63])
            let counts = try await ledger.reader.answer(LedgerQuestion()).deliveries
            #expect(counts.received == 64)
        }
    }

    @Test("A month of traffic gives the expected outcomes and counts")
    func traffic() async throws {
        var traffic = try ScenarioTraffic(await World.plain(count: 400, seed: 11), seed: 11, standIn: standIn)
        let deliveries = try #require(try await traffic.next())
        let expected = traffic.expected
        try await withIngestor { ingestor, ledger in
            var received: Int64 = 0
            for delivery in deliveries {
                let outcome = await ingestor.ingest(
                    delivery.body, recipient: .network, receivedAtMilliseconds: 1_795_262_400_000)
                switch (outcome, delivery.expectation) {
                case (.durable(let recording, _), .durable(let status, let reason)):
                    #expect(recording.status == status)
                    if case .quarantined(let rejection, _) = recording {
                        #expect(rejection.code == reason)
                    }
                    received += 1
                case (.refused, .refused): break
                default: Issue.record("\(outcome), expected \(delivery.expectation)")
                }
            }
            #expect(Set(deliveries.map(\.expectation)).count > 5)
            let counts = try await ledger.reader.answer(LedgerQuestion()).deliveries
            #expect(counts.received == received)
            let rows = try await ledger.reader.answer(LedgerQuestion(dimensions: [.app], traffic: .test)).rows
            let figures = expected.figures(by: [.app])
            #expect(rows.count == 3)
            for row in rows {
                #expect(row.counts[.postbacks] == figures["row \(row.values[0]): postbacks"])
                #expect(row.counts[.installs] == figures["row \(row.values[0]): installs"])
            }
        }
    }

    @Test("A body that is not JSON is refused and not kept", arguments: ["", "[]", "postback=1", "{\"a\":"])
    func notJSON(_ text: String) async throws {
        try await withIngestor { ingestor, ledger in
            let outcome = await ingestor.ingest(Array(text.utf8), recipient: .network, receivedAtMilliseconds: 0)
            #expect(status(outcome) == "refused")
            let counts = try await ledger.reader.answer(LedgerQuestion()).deliveries
            #expect(counts.received == 0)
        }
    }

    @Test("After closing, accepted bodies are written and new ones are refused")
    func closing() async throws {
        let body = try AppleSignedPostback.all()[4].body
        try await withIngestor { ingestor, ledger in
            #expect(status(await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 0)) == "recorded")
            ingestor.close()
            #expect(status(await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 0)) == "overloaded")
            let counts = try await ledger.reader.answer(LedgerQuestion()).deliveries
            #expect(counts.received == 1)
        }
    }

    @Test("A full queue refuses immediately")
    func overload() async throws {
        let body = try AppleSignedPostback.all()[4].body
        let ledger = try Store(path)
        // It is not running, so the queue only fills.
        let ingestor = Ingestor(
            verifier: try PostbackVerifier(), ledger: ledger.writer, limits: BatchLimits(queued: 2, batch: 1),
            logger: Logger(label: "test"))
        for _ in 0..<2 {
            ingestor.submit(body, recipient: .network, receivedAtMilliseconds: 0) { _ in }
        }
        #expect(status(await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 0)) == "overloaded")
        ingestor.close()
        try await ingestor.run()
        let counts = try await ledger.reader.answer(LedgerQuestion()).deliveries
        #expect(counts.received == 2)
    }

    @Test("Of 3,000 signed postbacks of a new conversion type, each that is answered 200 is kept; others come again")
    func newConversionType() async throws {
        var budgets = QuarantineBudgets()
        budgets.hourly[.unknown] = .init(rows: 1_000, bytes: 1 << 30)
        try await withIngestor(budgets: budgets) { ingestor, ledger in
            var draft = AdAttributionKitDraft(signed: [], unproven: [])
            draft[.adNetworkIdentifier] = .string("n.adattributionkit")
            draft[.advertisedItemIdentifier] = .integer(525_463_029)
            draft[.sourceIdentifier] = .string("5239")
            draft[.conversionType] = .string("preorder")
            draft[.impressionType] = .string("app-impression")
            draft[.didWin] = .bool(true)
            draft[.sequenceIndex] = .integer(0)
            let bodies = try (0..<3_000).map { number in
                draft[.postbackIdentifier] = .string("id-\(number)")
                return try standIn.sign(draft)
            }
            var outcomes: [String: Int] = [:]
            for body in bodies {
                let outcome = await ingestor.ingest(
                    body, recipient: .network, client: "203.0.113.7", receivedAtMilliseconds: 0)
                if case .durable(let recording, _) = outcome {
                    #expect(recording.isKept)
                }
                outcomes[status(outcome), default: 0] += 1
            }
            #expect(outcomes == ["quarantined": 1_000, "quarantine full": 2_000])
            let kept = try await ledger.reader.quarantine(QuarantineQuery(kind: .unknown, limit: 4_000))
            #expect(kept.map(\.body) == Array(bodies.prefix(1_000)))
        }
    }

    @Test("If the store fails, senders are told to retry")
    func storeFailure() async throws {
        let body = try AppleSignedPostback.all()[4].body
        try await withIngestor { ingestor, ledger in
            try ledger.writer.close()
            let outcome = await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 0)
            #expect(status(outcome) == "store failed")
        }
    }

    @Test("A body that a failing store cannot keep is not blamed on the quarantine's room")
    func unkept() async throws {
        let genuine = String(decoding: try AppleSignedPostback.all()[5].body, as: UTF8.self)
        let future = genuine.replacingOccurrences(of: #""4.0""#, with: #""9.0""#)
        let rows = [("{}", "store failed"), (genuine, "store failed"), (future, "quarantine full")]
        for (body, expected) in rows {
            let ingestor = Ingestor(
                verifier: try PostbackVerifier(), ledger: RefusingLedger(), logger: Logger(label: "test"))
            async let running: Void = ingestor.run()
            let outcome = await ingestor.ingest(Array(body.utf8), recipient: .network, receivedAtMilliseconds: 0)
            #expect(status(outcome) == expected, "\(body)")
            ingestor.close()
            try await running
        }
    }

    @Test("While the store does not record, a body is refused at once, without the writer")
    func notReady() async throws {
        let ingestor = Ingestor(
            verifier: try PostbackVerifier(), ledger: RefusingLedger(health: StoreHealth(.diskFull)),
            logger: Logger(label: "test"))
        // Nothing takes bodies from its queue.
        let outcome = await ingestor.ingest(Array("{}".utf8), recipient: .network, receivedAtMilliseconds: 0)
        #expect(status(outcome) == "store failed" && ingestor.queueDepth == 0)
    }

    /// How many lines of a kind there are, and how many events they stand for.
    private func count(_ kind: String, in lines: [String]) -> (lines: Int, events: Int) {
        let lines = lines.filter { $0.hasPrefix(kind) }
        let suppressed = lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("suppressed=") }.flatMap { Int($0.dropFirst(11)) }
        }
        // A line without a detail or an error only counts suppressed lines.
        let own = lines.filter { $0.contains("detail=") || $0.contains("error=") }
        return (lines.count, own.count + suppressed.reduce(0, +))
    }

    @Test("A quarantined postback is one log line with its reason, network and client")
    func quarantineLine() async throws {
        let log = LinesOfLog()
        let texts = try AppleSignedPostback.all().map { String(decoding: $0.body, as: UTF8.self) }
        let genuine = try #require(texts.first { $0.contains("\"3.0\"") && $0.contains("525463029") })
        let forged = genuine.replacingOccurrences(of: "525463029", with: "525463030")
        try await withIngestor(logger: log.logger) { ingestor, _ in
            for body in [forged, "{\"version\":\"9.0\",\"attribution-signature\":\"AA==\"}", genuine] {
                _ = await ingestor.ingest(
                    Array(body.utf8), recipient: .developer, client: "203.0.113.7", receivedAtMilliseconds: 0)
            }
        }
        let lines = log.lines
        try #require(lines.count == 2, "\(lines)")
        #expect(lines[0].hasPrefix("info postback quarantined client=203.0.113.7 detail=signature: does not verify"))
        #expect(lines[0].contains(" network="))
        #expect(lines[0].hasSuffix(" reason=invalid-signature recipient=developer"))
        #expect(lines[0].contains(" hint=skan verify --explain says why "))
        #expect(lines[1].contains(" reason=unknown-version "))
    }

    @Test("A copy that contradicts the one counted is one log line with its network, id and client")
    func conflictLine() async throws {
        let log = LinesOfLog()
        let texts = try AppleSignedPostback.all().map { String(decoding: $0.body, as: UTF8.self) }
        let genuine = try #require(texts.first { $0.contains("\"3.0\"") && $0.contains("\"conversion-value\": 20") })
        let changed = genuine.replacingOccurrences(of: "\"conversion-value\": 20", with: "\"conversion-value\": 21")
        try await withIngestor(logger: log.logger) { ingestor, _ in
            for body in [genuine, changed, genuine] {
                _ = await ingestor.ingest(
                    Array(body.utf8), recipient: .network, client: "203.0.113.7", receivedAtMilliseconds: 0)
            }
        }
        let lines = log.lines
        try #require(lines.count == 1, "\(lines)")
        #expect(lines[0].hasPrefix("info postback contradicts the one counted client=203.0.113.7 kept=true network="))
        #expect(lines[0].contains(" transaction-id="))
    }

    @Test("A flood of garbage logs ten lines a second for each reason, and all of it is counted")
    func quarantineFlood() async throws {
        let log = LinesOfLog()
        let start = ContinuousClock.now
        try await withIngestor(logger: log.logger) { ingestor, _ in
            await withTaskGroup { group in
                for number in 0..<2_000 {
                    group.addTask {
                        _ = await ingestor.ingest(
                            Array("{\"a\":\(number)}".utf8), recipient: .network, receivedAtMilliseconds: 0)
                    }
                }
            }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        let (lines, events) = count("info postback quarantined", in: log.lines)
        #expect(events == 2_000)
        // Ten lines in each second, and one that counts the rest.
        #expect(lines <= 11 * (seconds + 1))
    }

    @Test("A store that keeps failing logs one line a second")
    func storeFailureFlood() async throws {
        let log = LinesOfLog()
        let body = try AppleSignedPostback.all()[4].body
        let start = ContinuousClock.now
        try await withIngestor(logger: log.logger) { ingestor, ledger in
            try ledger.writer.close()
            for _ in 0..<500 {
                _ = await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 0)
            }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        let (lines, events) = count("error store failed", in: log.lines)
        #expect(events == 500)
        #expect(lines <= 2 * (seconds + 1))
    }

    @Test("A body that cannot be verified now is refused, and the rest of its batch is recorded")
    func undecided() async throws {
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let ledger = try Store(path)
        let log = LinesOfLog()
        let keys = try standIn.publicKeys().map { $0.requiring(properties: "provider=absent") }
        let ingestor = Ingestor(
            verifier: try PostbackVerifier(testKeys: keys), ledger: ledger.writer,
            logger: log.logger)
        let genuine = try AppleSignedPostback.all().filter { $0.name == "aak-development-reengagement" }.map(\.body)
        let unverifiable = try standIn.sign(
            PostbackDraft([
                JSONField(name: "version", value: .string("2.1")),
                JSONField(name: "ad-network-id", value: .string("example123.skadnetwork")),
                JSONField(name: "campaign-id", value: .integer(42)), JSONField(name: "app-id", value: .integer(1)),
                JSONField(name: "transaction-id", value: .string("a")),
                JSONField(name: "redownload", value: .bool(false)),
            ]))
        async let running: Void = ingestor.run()
        var statuses: [String] = []
        for body in Array(repeating: unverifiable, count: 50) + genuine {
            statuses.append(
                status(await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 1_795_262_400_000)))
        }
        ingestor.close()
        try await running
        #expect(statuses == Array(repeating: "undecided", count: 50) + ["recorded"])
        // A flood logs a line a second, which counts the others.
        let lines = log.lines.filter { $0.hasPrefix("error cannot verify") }
        let suppressed = lines.compactMap { $0.split(separator: "suppressed=").dropFirst().first.flatMap { Int($0) } }
        let written = lines.filter { $0.contains("reason=") }.count
        #expect(written < 50 && written + suppressed.reduce(0, +) == 50, "\(lines)")
        #expect(try await ledger.reader.answer(LedgerQuestion()).deliveries.received == 1)
    }
}
