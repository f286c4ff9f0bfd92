import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import TestSupport
import Testing

// One after the other: transactions of one hold back what another reads in PostgreSQL.
@Suite("How far destinations have come, in every store", .serialized, .timeLimit(.minutes(5)))
final class DestinationFeedTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    private func open(
        _ factory: LedgerFactory
    ) throws -> (ledger: AnyLedger, writer: any LedgerImporting & DestinationWriting) {
        let ledger = try factory.open(store.path)
        return (ledger, try #require(ledger.writer as? any LedgerImporting & DestinationWriting))
    }

    /// So many postbacks behind a cursor; in a database they come when the transactions of other tests have ended.
    private func feed(
        _ reader: any LedgerReading, after cursor: FeedCursor, _ count: Int
    ) async throws -> [(cursor: FeedCursor, postback: RecordedPostback)] {
        var (found, cursor) = ([(cursor: FeedCursor, postback: RecordedPostback)](), cursor)
        let end = ContinuousClock.now + .seconds(120)
        while found.count < count, ContinuousClock.now < end {
            let page = try await reader.feed(after: cursor, limit: 2, bytes: 1 << 20)
            found += page.postbacks
            cursor = page.end
        }
        return found
    }

    private func record(_ ids: [String], _ ledger: AnyLedger) throws -> [[UInt8]] {
        try ids.map { id in
            let body = try postbacks.standIn.sign(postbacks.draft(id: id))
            #expect(try ledger.record([postbacks.delivery(body)]) == [.recorded(.test)])
            return body
        }
    }

    @Test(
        "A new destination begins at the present, and gets all but history, byte for byte",
        arguments: LedgerFactory.all)
    func present(_ factory: LedgerFactory) async throws {
        let (ledger, writer) = try open(factory)
        #expect(try await ledger.reader.forwardingStatus().destinations.isEmpty)
        _ = try record(["a", "b"], ledger)
        #expect(try await feed(ledger.reader, after: .start, 2).count == 2)
        let claimed = try writer.claim(["x"])
        #expect(claimed.map(\.name) == ["x"] && claimed.first?.state == .running)
        let cursor = try #require(claimed.first?.cursor)
        let first = try record(["c"], ledger)
        let history = try postbacks.delivery(postbacks.draft(id: "h"), at: Postbacks.noon - 86_400_000)
        #expect(try writer.record([history], importing: nil) == [.made(.recorded(.test))])
        let second = try record(["d"], ledger)
        let status = try #require(try await ledger.reader.forwardingStatus()["x"])
        #expect(status.count == 2 && status.oldestAt != nil)
        let found = try await feed(ledger.reader, after: cursor, 2)
        #expect(found.map(\.postback.body) == (first + second).map { $0 })
        var progress = DestinationProgress(name: "x", from: cursor)
        progress.to = try #require(found.last).cursor
        progress.lastSuccessAt = 5
        #expect(try writer.save(progress))
        // Once more, it does not start from there.
        #expect(try !writer.save(progress))
        let again = try #require(try writer.claim(["x"]).first)
        #expect(again.cursor == progress.to && again.lastSuccessAt == 5)
        #expect(try await ledger.reader.forwardingStatus()["x"]?.count == 0)
        // Imported at the end: nothing is behind, and the cursor moves past it.
        let late = try postbacks.delivery(postbacks.draft(id: "l"), at: Postbacks.noon - 86_400_000)
        #expect(try writer.record([late], importing: nil) == [.made(.recorded(.test))])
        #expect(try await ledger.reader.forwardingStatus()["x"]?.count == 0)
        #expect(try await ledger.reader.feed(after: again.cursor, limit: 9, bytes: 1 << 20).postbacks.isEmpty)
        try ledger.close()
    }

    @Test("A cursor moves only to a postback that the store has, as it has it", arguments: LedgerFactory.all)
    func unknownCursors(_ factory: LedgerFactory) async throws {
        let (ledger, writer) = try open(factory)
        let cursor = try #require(try writer.claim(["x"]).first?.cursor)
        _ = try record(["a"], ledger)
        let row = try #require(try await feed(ledger.reader, after: cursor, 1).first).cursor
        let others = [
            FeedCursor(id: row.id + 1, order: row.order + 1, recordedAtMilliseconds: 7, check: 1),
            FeedCursor(
                id: row.id, order: row.order, recordedAtMilliseconds: row.recordedAtMilliseconds + 1, check: row.check),
            FeedCursor(
                id: row.id, order: row.order, recordedAtMilliseconds: row.recordedAtMilliseconds,
                check: row.check.map { $0 ^ 1 }),
        ]
        for other in others {
            var progress = DestinationProgress(name: "x", from: cursor)
            progress.to = other
            #expect(try !writer.save(progress), "\(other)")
        }
        #expect(try writer.claim(["x"]).first?.cursor == cursor)
        try ledger.close()
    }

    @Test(
        "What was not taken is due when it was said, wakes with a success, and is parked and resumed",
        arguments: LedgerFactory.all)
    func failures(_ factory: LedgerFactory) async throws {
        let (ledger, writer) = try open(factory)
        let cursor = try #require(try writer.claim(["x", "y"]).first?.cursor)
        _ = try record(["a", "b", "c"], ledger)
        let rows = try await feed(ledger.reader, after: cursor, 3)
        func failed(_ index: Int, dueAt: Int64?) -> FailedForwarding {
            FailedForwarding(
                postback: rows[index].postback.id, recordedAtMilliseconds: rows[index].cursor.recordedAtMilliseconds,
                attempts: 2, dueAt: dueAt, attemptedAt: 9, status: dueAt == nil ? 400 : nil, text: "words \u{e9}")
        }
        var progress = DestinationProgress(name: "x", from: cursor)
        progress.to = rows[2].cursor
        progress.failed = [
            rows[0].postback.id: failed(0, dueAt: 100), rows[1].postback.id: failed(1, dueAt: nil),
        ]
        (progress.failureRun, progress.lastFailureAt, progress.lastFailure) = (10, 9, "words")
        #expect(try writer.save(progress))
        let reader = ledger.reader
        #expect(try await reader.failedForwardings(of: "x", due: 99, limit: 9).isEmpty)
        #expect(try await reader.failedForwardings(of: "x", due: 100, limit: 9) == [failed(0, dueAt: 100)])
        #expect(
            try await reader.failedForwardings(of: "x", due: nil, limit: 9)
                == [failed(0, dueAt: 100), failed(1, dueAt: nil)])
        #expect(try await reader.failedForwardings(of: "y", due: nil, limit: 9).isEmpty)
        let status = try #require(try await reader.forwardingStatus()["x"]?.destination)
        #expect(status.condition == "down" && status.waitingCount == 1 && status.parkedCount == 1)
        #expect(status.lastFailure == "words" && status.lastFailureAt == 9)
        progress = DestinationProgress(name: "x", from: rows[2].cursor)
        progress.wakes = true
        #expect(try writer.save(progress))
        #expect(try await reader.failedForwardings(of: "x", due: 0, limit: 9).map(\.postback) == [rows[0].postback.id])
        progress = DestinationProgress(name: "x", from: rows[2].cursor)
        (progress.settled, progress.isGone) = ([rows[0].postback.id], true)
        #expect(try writer.save(progress))
        #expect(try writer.claim(["x"]).first?.state == .gone)
        #expect(try !writer.setState(of: "z", to: .paused))
        #expect(try writer.setState(of: "x", to: .running))
        let resumed = try #require(try writer.claim(["x"]).first)
        #expect(resumed.state == .running && resumed.waitingCount == 1 && resumed.parkedCount == 0)
        #expect(try await reader.failedForwardings(of: "x", due: 0, limit: 9).map(\.attempts) == [0])
        try ledger.close()
    }

    @Test("A cursor whose postback is another one now goes back to where the destination began")
    func restored() throws {
        let writer = try SQLiteLedgerWriter(path: store.path)
        _ = try writer.record([postbacks.delivery(postbacks.draft(id: "a"))])
        let cursor = try #require(try writer.claim(["x"]).first?.cursor)
        _ = try writer.record([postbacks.delivery(postbacks.draft(id: "b"))])
        try SQLite.execute("UPDATE destination SET last_id = 2, last_recorded_at = 5, last_check = 1", store.path)
        #expect(try writer.claim(["x"]).first?.cursor == cursor && cursor.id == 1)
        try writer.close()
    }

    @Test("Of two nodes one delivers to a destination, until it gives it up")
    func nodes() throws {
        let factory = LedgerFactory.all[1]
        let (first, second) = try (open(factory), open(factory))
        #expect(try first.writer.claim(["x"]).count == 1)
        #expect(try second.writer.claim(["x", "y"]).map(\.name) == ["y"])
        #expect(try !second.writer.save(DestinationProgress(name: "x", from: .start)))
        #expect(try first.writer.claim([]).isEmpty)
        #expect(try second.writer.claim(["x", "y"]).map(\.name) == ["x", "y"])
        try first.ledger.close()
        try second.ledger.close()
    }
}
