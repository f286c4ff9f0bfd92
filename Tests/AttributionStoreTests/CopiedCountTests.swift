import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Testing

@Suite("What a copied store counts of copies for two recipients and of repeats", .serialized)
struct CopiedCountTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    private func requeue(_ writer: any LedgerWriting) throws -> Requeued {
        let verifier = postbacks.verifier
        return try writer.requeue(QuarantineQuery()) { verifier.judge($0) }
    }

    private func deliveries(_ reader: any LedgerReading) async throws -> DeliveryCounts {
        try await reader.answer(LedgerQuestion(traffic: .test)).deliveries
    }

    @Test(
        "A copy for another recipient is not one in a store that recorded that recipient's copy first",
        arguments: LedgerFactory.all)
    func otherRecipientFirst(_ factory: LedgerFactory) async throws {
        let target = try factory.openTarget(store.path + "-copy")
        let source = try OpenLedger(store.path)
        let body = try postbacks.standIn.sign(postbacks.draft(id: "a"))
        _ = try source.record([
            Delivery(
                judgement: PostbackVerifier().judge(body), recipient: .network,
                receivedAtMilliseconds: Postbacks.noon)
        ])
        try await target.copy(source.reader)
        #expect(try requeue(target.writer).recorded == 1)
        let developer = Delivery(
            judgement: postbacks.verifier.judge(body), recipient: .developer,
            receivedAtMilliseconds: Postbacks.noon + 7_200_000)
        #expect(try source.record([developer]) == [.recorded(.test)])
        #expect(try requeue(source.writer).duplicate == 1)
        for _ in 0..<2 {
            try await target.copy(source.reader)
            #expect(try await deliveries(target.reader).otherRecipients == 1)
        }
        #expect(try await deliveries(source.reader).otherRecipients == 1)
    }

    @Test("A copied repeat is counted as kept", arguments: LedgerFactory.all, [true, false])
    func repeatIsKept(_ factory: LedgerFactory, _ isKnownByID: Bool) async throws {
        let target = try factory.openTarget(store.path + "-copy")
        let source = try OpenLedger(store.path)
        try await target.copy(source.reader)
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        if isKnownByID {
            guard case .verified(let verified) = delivery.judgement else {
                throw CancellationError()
            }
            _ = try target.writer.claim([KnownID(verified.postback.key)])
        } else {
            #expect(try target.writer.record([delivery]) == [.recorded(.test)])
        }
        #expect(try source.record([delivery]) == [.recorded(.test)])
        try await target.copy(source.reader)
        let counts = try await deliveries(target.reader)
        #expect(counts.count(.duplicate, .test) == 1 && counts.notKept == 0)
    }
}
