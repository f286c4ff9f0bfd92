import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import SQLiteStore
import StrictJSON
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

    /// Bodies that are no postbacks, each of 200 bytes.
    private func garbage(_ count: Int) -> [String] {
        (0..<count).map { "{\"number\": \($0)}" + String(repeating: " ", count: 180) }
    }

    enum Damage: CaseIterable, Sendable {
        case row, page

        func apply(_ path: String) throws {
            switch self {
            case .row:
                try SQLite.execute(
                    "PRAGMA ignore_check_constraints = ON; UPDATE quarantine SET recipient = 'nobody' WHERE id = 3",
                    path)
            case .page:
                try SQLite.garble("quarantine", path)
            }
        }
    }

    @Test(
        "A delivery in quarantine that the source can no longer read stays in the target, and is named",
        arguments: LedgerFactory.all, Damage.allCases)
    func unreadableQuarantine(_ factory: LedgerFactory, _ damage: Damage) async throws {
        let bodies = garbage(100)
        let target = try factory.openTarget(targetPath)
        do {
            let source = try OpenLedger(store.path)
            _ = try source.record(bodies.map { postbacks.delivery(Array($0.utf8)) })
            #expect(try await target.copy(source.reader).quarantined == 100)
            #expect(try source.writer.prune(QuarantineQuery(id: 100, limit: 1)) == 1)
            try source.close()
        }
        try damage.apply(store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let summary = try await target.copy(reader)
        #expect(summary.leftInQuarantine.contains(3) && summary.leftInQuarantine.count < 99)
        #expect(summary.quarantined == 0)
        #expect(try await target.quarantine() == Array(bodies.dropLast()))
    }

    private func differences(_ reader: any LedgerReading) async throws -> [String] {
        let verifier = postbacks.verifier
        return try await reader.recount { verifier.judge($0) }.differences.map(\.description)
    }

    /// Copies of one postback that say different things in what nobody signs.
    private func contradictions(_ count: Int64) throws -> [Delivery] {
        try contradictoryBodies(count).enumerated().map { value, body in
            postbacks.delivery(body, at: Postbacks.noon + Int64(value))
        }
    }

    private func contradictoryBodies(_ count: Int64) throws -> [[UInt8]] {
        var draft = postbacks.draft(id: "shared")
        let signature = try ReceivedPostback(reading: postbacks.standIn.sign(draft)).signature
        return (0..<count).map { value in
            draft[.conversionValue] = .integer(value)
            return draft.body(signature: signature)
        }
    }

    @Test(
        "A delivery that contradicts a postback which came during the copy is left to the next one, and is no damage",
        arguments: LedgerFactory.all)
    func conflictMeanwhile(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        #expect(try source.record([postbacks.delivery(postbacks.draft(id: "early"))]) == [.recorded(.test)])
        var meanwhile = try contradictions(2)
        let copier = LedgerCopier(from: source.reader, to: target.target, named: "target") { _ in
            // After the last page of postbacks, and before the quarantine is read.
            _ = try? source.record(meanwhile)
            meanwhile = []
        }
        let first = try await copier.run()
        #expect(first.postbacks == 1 && first.quarantined == 0 && first.leftInQuarantine == [])
        let second = try await target.copy(source.reader)
        #expect(second.postbacks == 1 && second.quarantined == 1 && second.leftInQuarantine == [])
        #expect(try await target.quarantine().count == 1)
    }

    @Test(
        "A delivery that contradicts a postback which cannot be copied is named each time", arguments: LedgerFactory.all
    )
    func conflictWithLost(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        do {
            let source = try OpenLedger(store.path)
            _ = try source.record(contradictions(2))
            try source.close()
        }
        try SQLite.execute("DELETE FROM postback_body", store.path)
        let reader = try SQLiteLedgerReader(store.path)
        for _ in 0..<2 {
            #expect(try await target.copy(reader).leftInQuarantine == [1])
        }
    }

    @Test(
        "A copied postback that contradicts one of the target's own is kept, each content once, whatever the budgets",
        arguments: LedgerFactory.all)
    func conflictsWhileCopying(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let contradictions = try contradictions(4)
        // Of the sources, the last two say the same.
        let sources = try (contradictions.dropFirst() + contradictions.suffix(1)).enumerated().map { index, delivery in
            (try OpenLedger(store.path + "-\(index)"), delivery)
        }
        for (source, _) in sources {
            try await target.copy(source.reader)
        }
        #expect(try target.writer.record([contradictions[0]]) == [.recorded(.test)])
        // Received by the target itself, a contradiction finds no room.
        #expect(try target.writer.record([contradictions[1]]) == [.conflict(.test, isKept: false)])
        for (source, delivery) in sources {
            #expect(try source.record([delivery]) == [.recorded(.test)])
            #expect(try await target.copy(source.reader).postbacks == 0)
        }
        #expect(try await target.quarantine().count == 3)
        let answer = try await target.reader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 1)
        #expect(answer.deliveries.count(.conflict, .test) == 5)
        #expect(try await target.reader.quarantineTotals().map(\.count) == [3])
        #expect(try await differences(target.reader) == [])
    }

    // MARK: The quarantine of both stores judged again

    /// Deliveries whose key was not trusted when they came: of two postbacks, a copy for a developer and a contradiction
    /// among them, and of a third one that stays.
    private func strangers() throws -> [Delivery] {
        let stranger = try PostbackVerifier()
        let bodies = try ["a", "b", "c"].map { try postbacks.standIn.sign(postbacks.draft(id: $0)) }
        func delivery(_ body: [UInt8], _ recipient: Delivery.Recipient, after hours: Int64) -> Delivery {
            Delivery(
                judgement: stranger.judge(body), recipient: recipient,
                receivedAtMilliseconds: Postbacks.noon + hours * 3_600_000)
        }
        let contradictions = try contradictoryBodies(2).map { delivery($0, .network, after: 1) }
        return [
            delivery(bodies[0], .network, after: 0), delivery(bodies[0], .developer, after: 3),
            delivery(bodies[1], .network, after: 0),
        ] + contradictions + [delivery(bodies[2], .network, after: 0), delivery(bodies[2], .developer, after: 3)]
    }

    private func requeue(_ writer: any LedgerWriting) throws -> Requeued {
        let verifier = postbacks.verifier
        return try writer.requeue(QuarantineQuery(limit: 5)) { verifier.judge($0) }
    }

    private func deliveries(_ reader: any LedgerReading) async throws -> DeliveryCounts {
        try await reader.answer(LedgerQuestion(traffic: .test)).deliveries
    }

    @Test(
        "Deliveries that both stores judged again count once, whichever was first and however often it is copied",
        arguments: LedgerFactory.all, [true, false])
    func requeuedInBoth(_ factory: LedgerFactory, _ isTargetFirst: Bool) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        _ = try source.record(strangers())
        #expect(try await target.copy(source.reader).quarantined == 7)
        if !isTargetFirst {
            #expect(try requeue(source.writer).recorded == 3)
        }
        let moved = try requeue(target.writer)
        #expect(moved.recorded == 3 && moved.duplicate == 1 && moved.conflict == 1)
        if isTargetFirst {
            let before = try await deliveries(target.reader)
            try await target.copy(source.reader)
            #expect(try await deliveries(target.reader) == before)
            #expect(try requeue(source.writer) == moved)
        }
        for _ in 0..<2 {
            #expect(try await target.copy(source.reader).postbacks == 0)
            #expect(try await deliveries(target.reader) == deliveries(source.reader))
            #expect(try await target.quarantine().count == 3)
        }
        #expect(try await differences(target.reader) == [])
        #expect(try await differences(source.reader) == [])
    }

    @Test(
        "What the target recorded of the source's quarantine stays recorded when the source lets it go",
        arguments: LedgerFactory.all)
    func requeuedAndPruned(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        _ = try source.record(Array(strangers().prefix(1)))
        try await target.copy(source.reader)
        #expect(try requeue(target.writer).recorded == 1)
        #expect(try source.writer.prune(QuarantineQuery()) == 1)
        for _ in 0..<2 {
            try await target.copy(source.reader)
            let counts = try await deliveries(target.reader)
            #expect(counts.count(.recorded, .test) == 1 && counts.count(.duplicate, .test) == 0)
        }
        #expect(try await differences(target.reader) == [])
    }

    @Test(
        "What the target recorded of the source's quarantine is counted once when the source recorded another delivery of it",
        arguments: LedgerFactory.all, [true, false])
    func recordedByAnother(_ factory: LedgerFactory, _ isPruned: Bool) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let quarantined = try strangers()[0]
        guard case .rejected(_, let body) = quarantined.judgement else {
            throw CancellationError()
        }
        _ = try source.record([quarantined])
        try await target.copy(source.reader)
        #expect(try requeue(target.writer).recorded == 1)
        #expect(
            try source.record([postbacks.delivery(body, at: Postbacks.noon + 7_200_000)]) == [.recorded(.test)])
        for step in 0..<4 {
            if step == 1 {
                if isPruned {
                    #expect(try source.writer.prune(QuarantineQuery()) == 1)
                } else {
                    #expect(try requeue(source.writer).duplicate == 1)
                }
            }
            try await target.copy(source.reader)
            let counts = try await deliveries(target.reader)
            #expect(counts.count(.recorded, .test) == 1 && counts.count(.duplicate, .test) == 1)
            #expect(counts.received == 2 && counts.repeats.values.reduce(0, +) == 1 && !counts.areIncomplete)
        }
        #expect(try await differences(target.reader) == [])
    }

    /// A delivery that the source quarantined and the target judged again, of a postback that the source recorded from
    /// another delivery; whether the target recorded it or knew that postback.
    private func moved(_ isRecorded: Bool, _ source: OpenLedger, _ target: TargetLedger) async throws {
        let quarantined = try strangers()[0]
        guard case .rejected(_, let body) = quarantined.judgement else {
            throw CancellationError()
        }
        let other = postbacks.delivery(body, at: Postbacks.noon + 7_200_000)
        _ = try source.record([quarantined])
        if isRecorded {
            try await target.copy(source.reader)
            #expect(try requeue(target.writer).recorded == 1)
            #expect(try source.record([other]) == [.recorded(.test)])
        } else {
            #expect(try source.record([other]) == [.recorded(.test)])
            try await target.copy(source.reader)
            #expect(try requeue(target.writer).duplicate == 1)
        }
        try await target.copy(source.reader)
    }

    /// Expects one postback, and how often it came again.
    private func expectOnce(
        _ target: TargetLedger, duplicate: Int64 = 1, quarantined: Int64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let counts = try await deliveries(target.reader)
        #expect(counts.count(.recorded, .test) == 1, sourceLocation: sourceLocation)
        #expect(counts.count(.duplicate, .test) == duplicate, sourceLocation: sourceLocation)
        #expect(counts.quarantined == quarantined, sourceLocation: sourceLocation)
        #expect(counts.tallies.values.allSatisfy { $0.count >= 0 }, sourceLocation: sourceLocation)
        #expect(counts.repeats.values.reduce(0, +) == duplicate, sourceLocation: sourceLocation)
        #expect(try await differences(target.reader) == [], sourceLocation: sourceLocation)
    }

    @Test(
        "A delivery that the source judges again during a copy counts once, then and after the next one",
        arguments: LedgerFactory.all.flatMap { factory in
            InterruptedTarget.Step.allCases.dropFirst().map { (factory, $0) }
        }, [true, false])
    func requeuedMeanwhile(
        _ changed: (factory: LedgerFactory, step: InterruptedTarget.Step), _ isRecorded: Bool
    ) async throws {
        let target = try changed.factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        try await moved(isRecorded, source, target)
        let verifier = postbacks.verifier
        let interrupted = InterruptedTarget(target.target) { step in
            if step == changed.step {
                _ = try source.writer.requeue(QuarantineQuery()) { verifier.judge($0) }
            }
        }
        _ = try await LedgerCopier(from: source.reader, to: interrupted, named: "target").run()
        try await expectOnce(target)
        for _ in 0..<2 {
            try await target.copy(source.reader)
            try await expectOnce(target)
        }
    }

    enum Change: CaseIterable, Sendable {
        case judgedAgain, pruned
    }

    @Test(
        "A delivery that left both quarantines counts once when another of its time and reason comes before the copy",
        arguments: LedgerFactory.all.flatMap { factory in Change.allCases.map { (factory, $0) } }, [true, false])
    func accompanied(_ changed: (factory: LedgerFactory, change: Change), _ isRecorded: Bool) async throws {
        let target = try changed.factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        try await moved(isRecorded, source, target)
        switch changed.change {
        case .judgedAgain: #expect(try requeue(source.writer).duplicate == 1)
        case .pruned: #expect(try source.writer.prune(QuarantineQuery()) == 1)
        }
        _ = try source.record([strangers()[5]])
        for _ in 0..<2 {
            try await target.copy(source.reader)
            // What the target did not record counts there as it does in the source.
            let isQuarantined = changed.change == .pruned && !isRecorded
            try await expectOnce(target, duplicate: isQuarantined ? 0 : 1, quarantined: isQuarantined ? 2 : 1)
            #expect(try await target.quarantine().count == 1)
        }
    }

    @Test(
        "Of many deliveries of one time that the target recorded, those count as repeats that the source judged again",
        arguments: LedgerFactory.all)
    func partlyPruned(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let stranger = try PostbackVerifier()
        let bodies = try (0..<4).map { try postbacks.standIn.sign(postbacks.draft(id: "\($0)")) }
        _ = try source.record(
            bodies.map {
                Delivery(judgement: stranger.judge($0), recipient: .network, receivedAtMilliseconds: Postbacks.noon)
            })
        try await target.copy(source.reader)
        #expect(try requeue(target.writer).recorded == 4)
        _ = try source.record(bodies.map { postbacks.delivery($0, at: Postbacks.noon + 7_200_000) })
        let verifier = postbacks.verifier
        let judged = try source.writer.requeue(QuarantineQuery(limit: 1)) { verifier.judge($0) }
        #expect(judged.duplicate == 1)
        try await target.copy(source.reader)
        #expect(try source.writer.prune(QuarantineQuery(limit: 2)) == 2)
        for _ in 0..<2 {
            try await target.copy(source.reader)
            let counts = try await deliveries(target.reader)
            #expect(counts.count(.recorded, .test) == 4 && counts.count(.duplicate, .test) == 4)
            #expect(counts.quarantined == 0 && counts.tallies.values.allSatisfy { $0.count >= 0 })
        }
        #expect(try await differences(target.reader) == [])
    }

    @Test(
        "Repeats that the target received itself stay when the source prunes a delivery", arguments: LedgerFactory.all)
    func ownRepeats(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        try await moved(true, source, target)
        let body = try postbacks.standIn.sign(postbacks.draft(id: "own"))
        let own = [60, 61].map { postbacks.delivery(body, at: Postbacks.noon + $0 * 1_000) }
        #expect(try target.writer.record(own) == [.recorded(.test), .duplicate(.test)])
        let before = try await deliveries(target.reader)
        #expect(before.count(.recorded, .test) == 2 && before.count(.duplicate, .test) == 2)
        #expect(try source.writer.prune(QuarantineQuery()) == 1)
        for _ in 0..<2 {
            try await target.copy(source.reader)
            #expect(try await deliveries(target.reader) == before)
        }
    }

    @Test(
        "A delivery that comes between the counts and the quarantine is left to the next copy",
        arguments: LedgerFactory.all)
    func newMeanwhile(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let strangers = try strangers()
        _ = try source.record([strangers[0]])
        let interrupted = InterruptedTarget(target.target) { step in
            if step == .deliveries {
                _ = try source.record([strangers[5]])
            }
        }
        _ = try await LedgerCopier(from: source.reader, to: interrupted, named: "target").run()
        #expect(try await target.quarantine().count == 1)
        #expect(try await deliveries(target.reader).quarantined == 1)
        try await target.copy(source.reader)
        #expect(try await target.quarantine().count == 2)
        #expect(try await deliveries(target.reader).quarantined == 2)
    }

    @Test("Notes of a copied delivery are deleted once they are decided", arguments: Change.allCases, [true, false])
    func decidedNotes(_ change: Change, _ isRecorded: Bool) async throws {
        let target = try LedgerFactory.all[0].openTarget(targetPath)
        let source = try OpenLedger(store.path)
        try await moved(isRecorded, source, target)
        let notes = "SELECT count(*) FROM copy_moved"
        #expect(try SQLite.query(notes, targetPath) == "2")
        switch change {
        case .judgedAgain: #expect(try requeue(source.writer).duplicate == 1)
        case .pruned: #expect(try source.writer.prune(QuarantineQuery()) == 1)
        }
        try await target.copy(source.reader)
        #expect(try SQLite.query(notes, targetPath) == "0")
    }

    @Test(
        "What the target took out of the source's quarantine is known again after the source gave it another reason",
        arguments: LedgerFactory.all, [1, 2])
    func anotherReason(_ factory: LedgerFactory, _ count: Int) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        _ = try source.record(Array(strangers().prefix(count)))
        try await target.copy(source.reader)
        #expect(try requeue(target.writer).recorded == 1)
        let before = try await deliveries(target.reader)
        let stayed = try source.writer.requeue(QuarantineQuery()) { bodies in
            bodies.map { .rejected(.unknownKey("other"), body: $0) }
        }
        #expect(stayed.stayed == Int64(count))
        for _ in 0..<2 {
            try await target.copy(source.reader)
            #expect(try await deliveries(target.reader) == before)
        }
        #expect(try requeue(source.writer).recorded == 1)
        for _ in 0..<2 {
            try await target.copy(source.reader)
            let (copied, counted) = (try await deliveries(target.reader), try await deliveries(source.reader))
            #expect(copied == before && copied.repeats == counted.repeats)
            // The reason that the target never had is counted 0 times in the source.
            #expect(copied.tallies.filter { $0.value.count != 0 } == counted.tallies.filter { $0.value.count != 0 })
        }
        #expect(try await differences(target.reader) == [])
    }

    /// The id that a delivery's postback is known by.
    private func id(_ delivery: Delivery) throws -> KnownID {
        guard case .verified(let verified) = delivery.judgement else {
            throw CancellationError()
        }
        return KnownID(verified.postback.key)
    }

    @Test(
        "Ids known to the source are claimed before its postbacks come, and those it recorded before count",
        arguments: LedgerFactory.all)
    func knownIDsFirst(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let (early, late) = (
            try postbacks.delivery(postbacks.draft(id: "early")), try postbacks.delivery(postbacks.draft(id: "late"))
        )
        #expect(try source.record([early]) == [.recorded(.test)])
        _ = try source.writer.claim([id(early), id(late)])
        let interrupted = InterruptedTarget(target.target) { step in
            if step == .postbacks {
                throw InterruptedTarget.Interruption()
            }
        }
        await #expect(throws: InterruptedTarget.Interruption.self) {
            try await LedgerCopier(from: source.reader, to: interrupted, named: "target").run()
        }
        // A server that is started now, before any postback was copied.
        #expect(try target.writer.record([late, early]) == [.duplicate(.test), .duplicate(.test)])
        #expect(try await target.copy(source.reader).postbacks == 1)
        let answer = try await target.reader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 1)
        #expect(try await differences(target.reader) == [])
    }

    @Test("What was counted before the target is not counted once more by a copy", arguments: LedgerFactory.all)
    func knownToTheTarget(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(targetPath)
        let source = try OpenLedger(store.path)
        let ids = ["a", "b", "c"]
        let deliveries = try ids.map { try postbacks.delivery(postbacks.draft(id: $0)) }
        try await target.copy(source.reader)
        _ = try target.writer.claim([id(deliveries[1])])
        _ = try source.record(deliveries)
        let summary = try await target.copy(source.reader)
        #expect(summary.postbacks == 2 && summary.all == 2)
        let answer = try await target.reader.answer(LedgerQuestion(traffic: .test))
        #expect(answer.totals[.postbacks] == 2 && answer.deliveries.count(.duplicate, .test) == 1)
        #expect(try await target.copy(source.reader).postbacks == 0)
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
        try await target.copy(source.reader)
        #expect(try target.writer.importedFiles(upTo: 2_000) == [file(1, 5)])
        // The target read one further, the source one that the target does not know.
        _ = try target.writer.record([], importing: file(1, 9))
        _ = try source.writer.record([], importing: file(2, 7))
        try await target.copy(source.reader)
        #expect(try target.writer.importedFiles(upTo: 2_000) == [file(1, 9), file(2, 7)])
        #expect(try target.writer.record([delivery], importing: nil) == [.known])
    }

    // MARK: Bodies of other rows

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

    /// Copies the source, and expects that each postback has its own time and recipient.
    private func copy(_ count: Int, to target: TargetLedger) async throws -> LedgerCopier.Summary {
        let source = try SQLiteLedgerReader(store.path)
        defer { source.close() }
        let summary = try await target.copy(source)
        let copied = try await target.reader.postbacks(PostbackQuery(limit: count))
        for postback in copied {
            let body = try #require(postback.body)
            let number = try #require(Int64(ReceivedPostback(reading: body).key.transactionID.text))
            #expect(postback.receivedAtMilliseconds == Postbacks.noon + number)
            #expect(postback.recipient == (number % 2 == 0 ? .network : .developer))
        }
        #expect(Int64(copied.count) == summary.all && summary.all + summary.lost == Int64(count))
        return summary
    }

    @Test(
        "Postbacks that damage gave each other's bytes are left out and named, and no later copy comes back to them",
        arguments: LedgerFactory.all)
    func exchangedBodies(_ factory: LedgerFactory) async throws {
        try fill(9)
        let exchange = """
            UPDATE postback_body SET id = -id WHERE id IN (3, 4); UPDATE postback_body SET id = 7 + id WHERE id < 0
            """
        try SQLite.execute(exchange, store.path)
        let target = try factory.openTarget(targetPath)
        let first = try await copy(9, to: target)
        #expect(first.postbacks == 7 && first.lost == 2 && first.leftOut == [3, 4])
        try SQLite.execute(exchange, store.path)
        let second = try await copy(9, to: target)
        #expect(second.postbacks == 0 && second.lost == 2 && second.leftOut == [])
        #expect(try await copy(9, to: factory.openTarget(targetPath + "-new")).all == 9)
    }

    @Test("A row whose digests are another's is left out", arguments: ["key_digest", "content_digest"])
    func changedDigest(_ column: String) async throws {
        try fill(9)
        try SQLite.execute(
            "UPDATE postback SET \(column) = (SELECT \(column) FROM postback WHERE id = 4) WHERE id = 3", store.path)
        #expect(try await copy(9, to: LedgerFactory.all[0].openTarget(targetPath)).leftOut == [3])
    }

    @Test(
        "A body whose id damage changed gets no other row's time or recipient",
        arguments: [(150, 151), (151, 150), (150, 214), (214, 150), (150, 134), (399, 400)])
    func changedID(_ change: (id: Int, other: Int)) async throws {
        try fill(400)
        var bytes = try StoreBytes(store.path)
        try bytes.change(id: change.id, to: change.other, in: "postback_body")
        try bytes.save()
        let summary = try await copy(400, to: LedgerFactory.all[0].openTarget(targetPath))
        #expect(summary.lost > 0)
    }
}
