import Attribution
import AttributionStore

/// A store that can neither record nor keep anything.
struct RefusingLedger: LedgerWriting {
    struct Unused: Error {}

    let name = "refusing"
    var health = StoreHealth.ready
    let lastRecordedAtMilliseconds: Int64? = nil

    func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        deliveries.map { _ in nil }
    }

    func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> Int {
        throw Unused()
    }

    func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
        throw Unused()
    }

    func heartbeat() {}

    func keep(_ keys: [AppleKeyRecord]) throws {
        throw Unused()
    }

    func requeue(_ query: QuarantineQuery, judge: ([ReceivedBody]) -> [Judgement]) throws -> Requeued {
        throw Unused()
    }

    func prune(_ query: QuarantineQuery) throws -> Int64 {
        throw Unused()
    }

    func repair(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> RecountRepair {
        throw Unused()
    }

    func makeReader() throws -> any LedgerReading {
        throw Unused()
    }

    func prepareToClose() {}

    func close() throws -> StoreEnding {
        .whole
    }
}
