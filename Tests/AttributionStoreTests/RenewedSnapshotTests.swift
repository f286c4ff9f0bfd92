import Attribution
import AttributionHarness
import AttributionStore
import Foundation
import GRDB
import SQLiteStore
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("Snapshots that are renewed for the log")
struct RenewedSnapshotTests {
    let store: TemporaryStore
    private let owner = OwnerActivity()

    init() throws {
        store = try TemporaryStore()
    }

    /// A database in WAL mode, with one row, and connections that read it.
    private func open() throws -> (writer: DatabaseQueue, readers: DatabasePool) {
        let writer = try DatabaseQueue(path: store.path)
        try writer.writeWithoutTransaction { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
        }
        var configuration = Configuration()
        configuration.readonly = true
        return (writer, try DatabasePool(path: store.path, configuration: configuration))
    }

    /// Adds a row; says whether SQLite could reset the log after that.
    private static func addRow(_ writer: DatabaseQueue) throws -> Bool {
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            return try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
        }
    }

    private static func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
    }

    @Test("The log can be reset while a snapshot is renewed, and not before")
    func reset() throws {
        let (writer, readers) = try open()
        let owner = owner
        try readers.unsafeRead { db in
            let snapshot = try RenewedSnapshot(db, of: owner)
            defer { snapshot.end() }
            #expect(try Self.count(db) == 1)
            // A short log, and a long one to which nothing is added.
            for frames in [10, 1_023, 0] {
                owner.framesInLog = frames
                try snapshot.renewIfLogIsLong()
            }
            #expect(try !Self.addRow(writer))
            #expect(try Self.count(db) == 1)
            owner.framesInLog = 1_024
            let resets = Mutex<Result<Int, any Error>>(.success(0))
            let ended = DispatchSemaphore(value: 0)
            Thread {
                resets.withLock { resets in
                    resets = Result {
                        defer { owner.framesInLog = 1 }
                        for count in 1..<10_000 where try Self.addRow(writer) {
                            return count
                        }
                        return 0
                    }
                }
                ended.signal()
            }.start()
            try snapshot.renewIfLogIsLong()
            ended.wait()
            let added = try resets.withLock { try $0.get() }
            #expect(try Self.count(db) ?? 0 > 1 && added > 0)
        }
    }

    @Test("A log that stays long is waited for, but not for ever")
    func patience() throws {
        let (writer, readers) = try open()
        try readers.unsafeRead { db in
            let snapshot = try RenewedSnapshot(db, of: owner)
            defer { snapshot.end() }
            owner.framesInLog = 5_000
            let start = ContinuousClock.now
            try snapshot.renewIfLogIsLong()
            let waited = start.duration(to: .now)
            #expect(waited >= .milliseconds(200))
            #expect(try Self.count(db) == 1)
            // It now reads for longer than it waited.
            owner.framesInLog = 6_000
            _ = try Self.addRow(writer)
            try snapshot.renewIfLogIsLong()
            let isEarly = start.duration(to: .now) < .milliseconds(500)
            #expect(try Self.count(db) == 1 || !isEarly)
        }
    }

    @Test("What is read before and after a repair is not used; a single snapshot is")
    func repair() throws {
        let (_, readers) = try open()
        try readers.unsafeRead { db in
            let single = try RenewedSnapshot(db, of: owner)
            owner.beginRepair()
            owner.framesInLog = 2_000
            // It is not renewed during or after a repair.
            try single.renewIfLogIsLong()
            owner.endRepair()
            try single.renewIfLogIsLong()
            try single.check()
            single.end()
            owner.framesInLog = 0
            let renewed = try RenewedSnapshot(db, of: owner)
            owner.framesInLog = 2_000
            try renewed.renewIfLogIsLong()
            try renewed.check()
            owner.beginRepair()
            #expect(renewed.isOutdated)
            #expect(throws: RenewedSnapshot.Outdated.self) { try renewed.check() }
            owner.endRepair()
            #expect(throws: RenewedSnapshot.Outdated.self) { try renewed.renewIfLogIsLong() }
            renewed.end()
        }
    }

    /// A postback for an app.
    private static func delivery(_ id: String, app: Int64, _ postbacks: Postbacks) throws -> Delivery {
        var draft = postbacks.draft(id: id)
        draft[.appID] = .integer(app)
        return try postbacks.delivery(draft)
    }

    @Test("A block that is written after the first snapshot is not read with the codes of that")
    func lateBlock() async throws {
        let postbacks = try ManyPostbacks.postbacks()
        let block = try ManyPostbacks.others().prefix(ManyPostbacks.block - 1)
        let ledger = try OpenLedger(store.path)
        // The block and what follows bring a new app each, numbered in the order of postbacks by the owner.
        _ = try ledger.record(block + [try Self.delivery("late", app: 1_111, postbacks)])
        let tail = try Self.delivery("tail", app: 2_222, postbacks)
        _ = try ledger.record([tail])
        let question = LedgerQuestion(
            dimensions: [.app], traffic: .test, limits: LedgerLimits(isBackground: true))
        let expected = Array(try await ledger.answer(question).rows)
        #expect(expected.count == 3)
        try ledger.close()
        // As if the owner had stopped before it wrote the block.
        let withoutBlock = "DELETE FROM column_block; DELETE FROM column_value WHERE value IN ('1111', '2222')"
        try SQLite.execute(withoutBlock, store.path)
        owner.framesInLog = 1
        let reader = try SQLiteLedgerReader(store.path, owner: owner)
        defer { reader.close() }
        for _ in 0..<20 {
            let growing = Task { [owner] in
                var frames = 2_000
                while !Task.isCancelled {
                    frames += 1
                    owner.framesInLog = frames
                    await Task.yield()
                }
            }
            async let answer = reader.answer(question)
            // Writes the block while the answer waits for the log, if it does by now.
            let next = try SQLiteLedgerWriter(path: store.path)
            #expect(try next.record([tail]) == [.duplicate(.test)])
            growing.cancel()
            await growing.value
            owner.framesInLog = 0
            #expect(Array(try await answer.rows) == expected)
            _ = try next.close()
            try SQLite.execute(withoutBlock, store.path)
        }
    }

    @Test("Answers are exact however often their snapshot is renewed, also beside recording and repairs")
    func answers() async throws {
        let many = try ManyPostbacks()
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record(many.deliveries).allSatisfy { $0 == .recorded(.test) })
        let position = try await ledger.answer(LedgerQuestion(traffic: .test)).position
        let (owner, fresh) = (owner, try ManyPostbacks.others())
        let recording = Task {
            for (number, start) in stride(from: 0, to: fresh.count, by: 25).enumerated() {
                // Every other batch finds the log long; sometimes the store is repaired meanwhile.
                owner.framesInLog = number.isMultiple(of: 2) ? 1_024 + number : 0
                if number.isMultiple(of: 20) {
                    owner.beginRepair()
                }
                _ = try ledger.record(Array(fresh[start..<min(start + 25, fresh.count)]))
                if number.isMultiple(of: 20) {
                    owner.endRepair()
                }
            }
            owner.framesInLog = 0
        }
        for blocksAlone: Int64 in [32, 0] {
            let reader = try SQLiteLedgerReader(store.path, owner: owner, blocksAlone: blocksAlone)
            defer { reader.close() }
            for dimensions: [ReportDimension] in [[.app, .sourceApp], [.day, .version]] {
                for _ in 0..<4 {
                    try await reader.expectExact(
                        many,
                        LedgerQuestion(
                            dimensions: dimensions, calendar: utcDays, asOf: position,
                            limits: LedgerLimits(isBackground: true)))
                }
            }
        }
        try await recording.value
        // The reader of an owner.
        let reader = try ledger.writer.makeReader()
        let answer = try await reader.answer(
            LedgerQuestion(traffic: .test, asOf: position, limits: LedgerLimits(isBackground: true)))
        #expect(answer.totals[.postbacks] == Int64(many.deliveries.count))
        try ledger.close()
    }
}
