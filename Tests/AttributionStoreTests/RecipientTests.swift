import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import SQLiteStore
import Testing

@Suite("Copies and repeats")
struct RecipientTests {
    @Test("Deliveries are counted by recipient, and repeats by their delay")
    func counts() async throws {
        let store = try TemporaryStore()
        let postbacks = try Postbacks()
        let ledger = try OpenLedger(store.path, now: { 77 })
        let body = try postbacks.standIn.sign(postbacks.draft(id: "a"))
        let judgement = postbacks.verifier.judge(body)
        func delivery(_ recipient: Delivery.Recipient, after milliseconds: Int64) -> Delivery {
            Delivery(
                judgement: judgement, recipient: recipient,
                receivedAtMilliseconds: Postbacks.noon + milliseconds)
        }
        _ = try ledger.record([
            delivery(.network, after: 0), delivery(.developer, after: 500), delivery(.developer, after: 3_000_000),
            delivery(.network, after: 80_000_000), delivery(.network, after: 700_000_000),
            delivery(.network, after: 800_000_000),
        ])
        let counts = try await ledger.deliveries()
        #expect(counts.received(by: .network) == 4 && counts.received(by: .developer) == 2)
        #expect(counts.repeats == [.minute: 1, .hour: 1, .day: 1, .nineDays: 1, .later: 1])
        #expect(counts.otherRecipients == 1)
        let recorded = try await ledger.reader.postbacks(PostbackQuery(transactionID: "a"))
        #expect(recorded.map(\.recordedAtMilliseconds) == [77] && recorded.first?.body == body)
        #expect(recorded.first?.recipient == .network)
        let range = PostbackQuery(received: (Postbacks.noon + 1)..<Int64.max)
        #expect(try await ledger.reader.postbacks(range).isEmpty)
    }
}
