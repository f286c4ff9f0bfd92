import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import SQLiteStore
import StrictJSON
import Testing

@Suite("Postbacks that verify and are not understood, in every store")
final class UnknownQuarantineTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    /// A signed body with a conversion type that no version knows.
    private func body(_ id: String, type: String = "preorder", unproven: [JSONField] = []) throws -> [UInt8] {
        var draft = AdAttributionKitDraft(signed: [], unproven: unproven)
        draft[.postbackIdentifier] = .string(id)
        draft[.adNetworkIdentifier] = .string("n.adattributionkit")
        draft[.advertisedItemIdentifier] = .integer(525_463_029)
        draft[.sourceIdentifier] = .string("39")
        draft[.conversionType] = .string(type)
        draft[.impressionType] = .string("app-impression")
        draft[.didWin] = .bool(true)
        draft[.sequenceIndex] = .integer(0)
        return try postbacks.standIn.sign(draft)
    }

    private func delivery(_ body: [UInt8], by verifier: PostbackVerifier, client: String? = nil) -> Delivery {
        Delivery(
            judgement: verifier.judge(body), recipient: .network, receivedAtMilliseconds: Postbacks.noon,
            client: client)
    }

    /// A delivery as if a key of another provenance had verified it.
    private func delivery(_ body: [UInt8], _ provenance: Provenance) throws -> Delivery {
        guard case .unknown(let unknown) = try PostbackReading(body) else {
            throw FieldProblem(field: "body", found: "a known postback", expected: "an unknown one")
        }
        let verified = VerifiedUnknownPostback(verified: unknown, provenance: provenance, keyName: "a key")
        return Delivery(
            judgement: .rejected(.notUnderstood(verified), body: body), recipient: .network,
            receivedAtMilliseconds: Postbacks.noon)
    }

    @Test(
        "Each signed text is kept once, is not counted, and stays until it is understood", arguments: LedgerFactory.all)
    func once(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let copies = try ["conversion-value", "country-code", "x"].map { name in
            try body("a", unproven: [JSONField(name: name, value: .string("1"))])
        }
        let bodies = try [body("a")] + copies + [body("b")]
        let answers = try ledger.record(bodies.map { delivery($0, by: postbacks.verifier) })
        guard case .quarantined(.notUnderstood, isKept: true)? = answers.first ?? nil,
            case .quarantined(.notUnderstood, isKept: true)? = answers.last ?? nil
        else {
            Issue.record("not kept: \(answers)")
            return
        }
        #expect(answers[1...3].allSatisfy { $0 == .duplicate(.test) })
        #expect(try ledger.record([delivery(copies[0], by: postbacks.verifier)]) == [.duplicate(.test)])
        let kept = try await ledger.reader.quarantine(QuarantineQuery())
        #expect(kept.map(\.kind) == [.unknown, .unknown] && kept.map(\.body) == [bodies[0], bodies[4]])
        #expect(try await ledger.totals()[.postbacks] == 0)
        // This release still does not understand it, and one that no longer knows the key does not give it up.
        let verifier = postbacks.verifier
        let stranger = try PostbackVerifier()
        for judge in [verifier, stranger] {
            let requeued = try ledger.writer.requeue(QuarantineQuery(limit: .max)) { judge.judge($0) }
            #expect(requeued.judged == 2 && requeued.stayed == 2)
        }
        #expect(try await ledger.reader.quarantine(QuarantineQuery(kind: .unknown)).count == 2)
        #expect(try await ledger.differences(verifier) == [])
        #expect(try ledger.writer.prune(QuarantineQuery(limit: .max)) == 2)
        #expect(try ledger.record([delivery(bodies[0], by: verifier)])[0]?.status == .quarantined)
        try ledger.close()
    }

    @Test("Bodies whose key becomes known are kept once each when they are judged again", arguments: LedgerFactory.all)
    func laterKey(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let stranger = try PostbackVerifier()
        let bodies = try [body("a"), body("a", unproven: [JSONField(name: "x", value: .null)]), body("b")]
        let answers = try ledger.record(bodies.map { delivery($0, by: stranger) })
        #expect(answers.allSatisfy { $0?.status == .quarantined && $0?.isKept == true })
        let verifier = postbacks.verifier
        let requeued = try ledger.writer.requeue(QuarantineQuery(limit: .max)) { verifier.judge($0) }
        #expect(requeued.judged == 3 && requeued.stayed == 2 && requeued.duplicate == 1)
        let kept = try await ledger.reader.quarantine(QuarantineQuery())
        #expect(kept.map(\.kind) == [.unknown, .unknown] && kept.map(\.body) == [bodies[0], bodies[2]])
        #expect(try await ledger.differences(verifier) == [])
        try ledger.close()
    }

    @Test("A release that understands them counts them", arguments: LedgerFactory.all)
    func upgrade(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        // As an older release judged what this one understands.
        let bodies = try [body("a", type: "download"), body("b", type: "redownload")]
        let kept = try ["a", "b"].map { try delivery(body($0), .test) }
        #expect(try ledger.record(kept).allSatisfy { $0?.isKept == true })
        let verifier = postbacks.verifier
        var understood = bodies.makeIterator()
        let requeued = try ledger.writer.requeue(QuarantineQuery(limit: .max)) { found in
            verifier.judge(found.compactMap { _ in understood.next() })
        }
        #expect(requeued.recorded == 2)
        #expect(try await ledger.totals()[.installs] == 2)
        #expect(try await ledger.reader.quarantine(QuarantineQuery()).isEmpty)
        try ledger.close()
    }

    @Test("Production, foreign, development and test each have room of their own, without shares of clients")
    func budgets() async throws {
        let hourly = QuarantineBudgets.Hourly(rows: 2, bytes: 1 << 20)
        let ledger = try OpenLedger(
            store.path, networks: OwnNetworks(["n.adattributionkit"]),
            budgets: QuarantineBudgets(hourly: [.unknown: hourly, .future: hourly, .garbage: hourly], shares: 2))
        let full = try (0..<3).map { try delivery(body("t\($0)"), by: postbacks.verifier, client: "192.0.2.1") }
        #expect(try ledger.record(full).map { $0?.isKept } == [true, true, nil])
        for provenance in [Provenance.development, .apple] {
            let kept = try ledger.record((0..<3).map { try delivery(body("\(provenance)\($0)"), provenance) })
            #expect(kept.map { $0?.isKept } == [true, true, nil])
        }
        // A network that cannot be read is not known to be ours.
        var draft = AdAttributionKitDraft(signed: [], unproven: [])
        draft[.adNetworkIdentifier] = .integer(7)
        #expect(try ledger.record([delivery(postbacks.standIn.sign(draft), .apple)])[0]?.isKept == true)
        // A copy of what is kept takes no room, also when there is none.
        #expect(try ledger.record([full[0]]) == [.duplicate(.test)])
        #expect(try ledger.record([postbacks.delivery(Array("{}".utf8))])[0]?.isKept == true)
        #expect(try await ledger.reader.quarantine(QuarantineQuery(kind: .unknown)).count == 7)
        // What is used up is remembered.
        try ledger.close()
        let next = try OpenLedger(
            store.path, networks: OwnNetworks(["n.adattributionkit"]),
            budgets: QuarantineBudgets(hourly: [.unknown: hourly]))
        #expect(try next.record([full[2]]) == [nil])
    }

    @Test("What a stranger can fill leaves room for what verifies")
    func reserve() throws {
        let budgets = QuarantineBudgets(
            hourly: [.future: .init(rows: 100, bytes: 1 << 20), .unknown: .init(rows: 100, bytes: 1 << 20)], shares: 1,
            totalBytes: 8_000)
        let ledger = try OpenLedger(store.path, budgets: budgets)
        let stranger = try PostbackVerifier()
        var filled = 0
        while try ledger.record([delivery(body("\(filled)"), by: stranger)])[0] != nil {
            filled += 1
            try #require(filled < 50)
        }
        #expect(filled > 2)
        #expect(try ledger.record([delivery(body("a"), by: postbacks.verifier)])[0]?.isKept == true)
        #expect(try ledger.record([delivery(body("b"), by: stranger)]) == [nil])
    }

    @Test(
        "Of one signed text under two provenances, one is left when both are judged alike", arguments: LedgerFactory.all
    )
    func twoProvenances(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let body = try body("a")
        for provenance in [Provenance.development, .apple] {
            #expect(try ledger.record([delivery(body, provenance)])[0]?.isKept == true)
        }
        let (verifier, alike) = (postbacks.verifier, try delivery(body, .apple).judgement)
        let requeued = try ledger.writer.requeue(QuarantineQuery(limit: .max)) { $0.map { _ in alike } }
        #expect(requeued.judged == 2 && requeued.stayed == 1 && requeued.duplicate == 1)
        #expect(try await ledger.reader.quarantine(QuarantineQuery(kind: .unknown)).count == 1)
        #expect(try await ledger.differences(verifier) == [])
        try ledger.close()
    }

    @Test("Garbage and forgeries give way to it, and it never to them")
    func total() async throws {
        let ledger = try OpenLedger(
            store.path,
            budgets: QuarantineBudgets(
                hourly: [.garbage: .init(rows: 100, bytes: 1 << 20), .unknown: .init(rows: 100, bytes: 1 << 20)],
                shares: 1, totalBytes: 3_000))
        let garbage = postbacks.delivery(Array("{}".utf8) + Array(repeating: 0x20, count: 500))
        _ = try ledger.record(Array(repeating: garbage, count: 5))
        var kept = 0
        while try ledger.record([delivery(body("\(kept)"), by: postbacks.verifier)])[0] != nil {
            kept += 1
            try #require(kept < 50)
        }
        #expect(kept > 1)
        #expect(try ledger.record([garbage])[0]?.isKept == false)
        let totals = try await ledger.reader.quarantineTotals()
        #expect(totals.first { $0.kind == .unknown }?.count == Int64(kept))
        #expect(totals.first { $0.kind == .garbage }?.count ?? 0 == 0)
    }
}
