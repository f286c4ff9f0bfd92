import Attribution
import AttributionStore
import Foundation
import Testing

@Suite("The log of a store")
struct LogTests {
    let store: TemporaryStore

    init() throws {
        store = try TemporaryStore()
    }

    private static let budgets = QuarantineBudgets(
        hourly: [.garbage: .init(rows: 10_000, bytes: .max)], shares: 1, totalBytes: .max)

    /// How often the log was reset, which its header counts.
    private func restarts() throws -> UInt32 {
        let log = try FileHandle(forReadingFrom: URL(fileURLWithPath: store.path + "-wal"))
        defer { try? log.close() }
        let head = try log.read(upToCount: 16) ?? Data()
        try #require(head.count == 16)
        return head[12..<16].reduce(0) { $0 << 8 | UInt32($1) }
    }

    @Test("Commits are checkpointed during recording, so that the log does not grow, and nothing is lost")
    func restartsFromTheBeginning() async throws {
        let ledger = try OpenLedger(store.path, budgets: Self.budgets)
        let body = [UInt8](repeating: 0x20, count: 16_384)
        let rejected = Delivery(
            judgement: .rejected(.malformed([]), body: body), recipient: .network,
            receivedAtMilliseconds: Postbacks.noon)
        _ = try ledger.record([rejected])
        let first = try restarts()
        var batches: Int64 = 0
        // On an idle machine, a few megabytes more than the threshold would be enough.
        while try restarts() < first + 2, batches < 300 {
            _ = try ledger.record(Array(repeating: rejected, count: 30))
            batches += 1
        }
        #expect(try restarts() >= first + 2, "the log was not begun again in \(batches) batches")
        #expect(try await ledger.deliveries(received: nil).quarantined(.malformed) == 1 + 30 * batches)
        try ledger.close()
        let kept = try SQLite.query(
            "SELECT count(*), sum(length(body)) FROM quarantine; PRAGMA integrity_check", store.path)
        let rows = min(1 + 30 * batches, 10_000)
        #expect(kept == "\(rows)|\(rows * 16_384)\nok")
    }

    @Test("A ledger that is deallocated without being closed during a checkpoint loses nothing")
    func dropped() async throws {
        let rejected = Delivery(
            judgement: .rejected(.malformed([]), body: [UInt8](repeating: 0x20, count: 16_384)),
            recipient: .network, receivedAtMilliseconds: Postbacks.noon)
        // The log reaches the threshold after about 32 batches of 30.
        for batches in 34..<38 {
            let ledger = try OpenLedger(store.path, budgets: Self.budgets)
            for _ in 0..<batches {
                _ = try ledger.record(Array(repeating: rejected, count: 30))
            }
        }
        let ledger = try OpenLedger(store.path)
        let expected = Int64((34..<38).reduce(0, +) * 30)
        #expect(try await ledger.deliveries(received: nil).quarantined(.malformed) == expected)
        #expect(try SQLite.query("PRAGMA integrity_check", store.path) == "ok")
    }
}
