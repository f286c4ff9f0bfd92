package import Attribution
package import AttributionStore
import CheckedFiles
import Foundation
import GRDB
import Synchronization

/// The only owner of a store of postbacks in SQLite: it records, requeues quarantined deliveries, and repairs.
///
/// A commit is on disk when it returns. An exact index in memory decides whether a postback is new. Any number of
/// readers (``SQLiteLedgerReader``), in this process or in others, see what was committed and never block.
package final class SQLiteLedgerWriter: Sendable {
    let database: OwnedDatabase
    let memory: WriterState
    let settings: LedgerSettings
    /// Blocks that could not be read when the store was opened.
    private let damagedBlocks: BlockNumbers
    /// The tables whose damage was reported; each is reported once.
    private let knownDamage = Mutex<Set<StoreEvent.Table>>([])
    private let missing: MissingTables
    /// Counts that could not be written so far, though their tables are not damaged.
    private let unwritten = Mutex(UnwrittenCounts())
    private let onEvent: @Sendable (StoreEvent) -> Void
    let now: @Sendable () -> Int64

    /// Opens a store for recording, and creates it if the file does not exist.
    ///
    /// If an existing store cannot be opened now, for example because the disk is full, a later call opens it; see
    /// ``health``.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - settings: The own networks and the quarantine's budgets.
    ///   - now: Returns the current time in Unix milliseconds, for `recorded_at`; by default the system's clock.
    ///   - onEvent: Called with events for the operator, on any thread.
    /// - Throws: ``AttributionStore/StoreError``.
    package init(
        path: String,
        settings: LedgerSettings = LedgerSettings(),
        now: (@Sendable () -> Int64)? = nil,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws {
        let memory = WriterState(settings)
        let path = try ResolvedPath(store: path).text
        let damagedBlocks = BlockNumbers()
        self.damagedBlocks = damagedBlocks
        let missing = MissingTables()
        self.missing = missing
        self.memory = memory
        self.settings = settings
        self.now = now ?? { Int64(Date().timeIntervalSince1970 * 1000) }
        self.onEvent = onEvent
        database = try OwnedDatabase(
            path: path, schema: LedgerSchema.schema,
            hooks: .init(
                load: { db in
                    try DerivedTables.makeMissing(db)
                    try StoreError.checkTables(path, db)
                    try db.execute(sql: LedgerSchema.additions)
                    let rebuilt = try memory.load(db)
                    if !rebuilt.isEmpty {
                        onEvent(.indexRebuilt(path: path, rows: Int64(rebuilt.count * ColumnBlock.rowCount)))
                    }
                    damagedBlocks.numbers.withLock { $0 = rebuilt }
                },
                isNewestOurs: { db in
                    try LedgerScan.newestRow(db) == memory.lastRow
                },
                newestRow: { memory.lastRow },
                rehearse: { try RecordingBatch.rehearse($0, after: memory.lastRow) },
                checkTables: { try missing.look(path, $0, onEvent: onEvent) },
                onEvent: onEvent
            ))
        if let networks = settings.networks {
            // If this fails, the networks of an earlier owner remain.
            try? remember(networks)
        }
    }

    /// Checks that this process could own a store, without creating or changing it.
    ///
    /// - Parameter path: The database file, which need not exist.
    /// - Returns: The version of its format, and whether another process owns it; nil if there is no file yet.
    /// - Throws: ``StoreError``.
    package static func check(_ path: String) throws(StoreError) -> (version: UInt32, isOwned: Bool)? {
        try OwnedDatabase.check(path, LedgerSchema.schema)
    }

    private func remember(_ networks: OwnNetworks) throws {
        try database.write { db in
            let remembered = Set(try String.fetchAll(db, sql: "SELECT ad_network_id FROM own_network"))
            guard remembered != networks.identifiers else {
                return
            }
            try db.execute(sql: "DELETE FROM own_network")
            for network in networks.identifiers {
                try db.execute(sql: "INSERT INTO own_network VALUES (?)", arguments: [network])
            }
        }
    }

    /// The file, with links resolved.
    package var path: String {
        database.path
    }

    /// Whether the last commit succeeded; a server that is not ready should get no traffic.
    package var health: StoreHealth {
        database.health
    }

    /// What another program did to the store that recording does without.
    package var remarks: [String] {
        ([database.linked].compactMap(\.self) + missing.errors).map(\.remark)
    }

    /// When a postback was last recorded, by this owner or an earlier one, in Unix milliseconds; nil if unknown.
    package var lastRecordedAtMilliseconds: Int64? {
        memory.lastRecordedAt
    }

    /// Checks the files, tries a commit if the last one failed, and repairs a few blocks of columns that were damaged
    /// or outdated when the store was opened; call it every second.
    package func heartbeat() {
        database.heartbeat()
        writeUnwritten()
        for _ in 0..<Self.blocksPerHeartbeat where health == .ready {
            guard let number = damagedBlocks.numbers.withLock({ $0.popLast() }) else {
                return
            }
            // If this fails, the next owner tries again.
            _ = try? database.write {
                try ColumnBlock.rewrite(number, $0)
            } didCommit: {
                memory.didRepair([])
            }
        }
    }

    /// Few, because each takes as long as reading 4,096 bodies, and recording waits for it.
    private static let blocksPerHeartbeat = 2

    /// Records a batch of deliveries in one transaction, on the calling thread.
    ///
    /// If part of the store is damaged, the batch is split into several transactions, so that only the deliveries that
    /// need the damaged part fail. Counts of deliveries that cannot be written are left out, and so is whatever needs a
    /// table that another program deleted, if recording can do without it.
    ///
    /// - Parameter deliveries: Judged deliveries in the order received.
    /// - Returns: The result of each delivery, in the same order, after the commit; nil for a delivery that was neither
    ///   recorded nor kept and has to be sent again.
    /// - Throws: ``AttributionStore/StoreError``; nothing of the batch was recorded.
    package func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        guard !deliveries.isEmpty else {
            return []
        }
        let tables = missing.parts
        do {
            return try record(deliveries, without: tables)
        } catch StoreError.missingTable where missing.parts != tables {
            return try record(deliveries)
        } catch StoreError.failed(_, .damaged) {
            // The halves are separate transactions: one may commit and the other fail.
            guard deliveries.count > 1 else {
                return [recordWithoutQuarantine(deliveries[0])]
            }
            let half = deliveries.count / 2
            return [deliveries[..<half], deliveries[half...]].flatMap { part in
                (try? record(Array(part))) ?? Array(repeating: nil, count: part.count)
            }
        }
    }

    private func record(_ deliveries: [Delivery], without tables: Set<StoreEvent.Table>) throws -> [Recording?] {
        try batch(without: tables) { db in
            try PreparedDelivery.prepare(deliveries, db, memory)
        } work: { batch, prepared in
            try prepared.map { try batch.record($0) }
        }
    }

    /// Counts a rejected delivery without keeping its body, so that it is not sent again.
    ///
    /// - Returns: The result; nil if more than the quarantine and the counts is damaged.
    private func recordWithoutQuarantine(_ delivery: Delivery) -> Recording? {
        guard case .rejected = delivery.judgement,
            let recordings = try? record([delivery], without: [.quarantine])
        else {
            return nil
        }
        report(damaged: .quarantine)
        return recordings.first.flatMap(\.self)
    }

    /// Writes counts whose transaction was committed without them, each in a transaction of its own.
    ///
    /// Those on a damaged page are lost; others that cannot be written now are kept for later.
    private func write(_ counts: UnwrittenCounts) {
        var failure: StoreError?
        for single in counts.singles {
            do {
                try database.write { try single.write($0, HotStatement.Arena()) }
            } catch StoreError.failed(_, .damaged) {
                report(damaged: .deliveryCounts)
            } catch StoreError.missingTable {
                // It was reported when it was found.
            } catch {
                failure = error as? StoreError
                unwritten.withLock { $0 += single }
            }
        }
        if let failure {
            onEvent(.countsNotWritten(path: path, reason: failure.message, areLost: false))
        }
    }

    /// Writes what could not be written before.
    private func writeUnwritten() {
        guard health == .ready else {
            return
        }
        let counts = unwritten.withLock { unwritten in
            defer { unwritten = UnwrittenCounts() }
            return unwritten
        }
        if !counts.isEmpty {
            write(counts)
        }
    }

    private func report(damaged table: StoreEvent.Table) {
        if knownDamage.withLock({ $0.insert(table).inserted }) {
            onEvent(.tableDamaged(path: path, table))
        }
    }

    /// Runs one recording transaction, once more without the counts of deliveries if something is damaged, or without
    /// counts whose table is missing: they must cost nothing else.
    ///
    /// - Parameters:
    ///   - tables: Those that the transaction does without in any case.
    ///   - prepare: Reads what `work` needs, before the transaction.
    ///   - work: The body of the transaction.
    /// - Returns: The result of `work`, after the commit.
    /// - Throws: ``AttributionStore/StoreError``, and what the closures throw.
    func batch<Prepared, Result>(
        without tables: Set<StoreEvent.Table> = [],
        _ prepare: (Database) throws -> Prepared,
        work: (inout RecordingBatch, Prepared) throws -> Result
    ) throws -> Result {
        // Whether bodies may be left out depends on what is done with them.
        let tables = tables.union(missing.parts.subtracting([.quarantine]))
        do {
            return try transaction(without: tables, prepare, work)
        } catch StoreError.failed(_, .damaged) {
            return try transaction(without: tables.union([.deliveryCounts]), prepare, work)
        } catch StoreError.missingTable where !missing.parts.subtracting([.quarantine]).isSubset(of: tables) {
            return try batch(without: tables, prepare, work: work)
        }
    }

    private func transaction<Prepared, Result>(
        without tables: Set<StoreEvent.Table>,
        _ prepare: (Database) throws -> Prepared,
        _ work: (inout RecordingBatch, Prepared) throws -> Result
    ) throws -> Result {
        var done: RecordingBatch?
        let result = try database.write { db in
            try memory.catchUp(db)
            return try prepare(db)
        } _: { db, prepared in
            var batch = try RecordingBatch(db, networks: memory.networks, memory: memory, now: now())
            batch.damaged = tables
            let result = try work(&batch, prepared)
            try batch.finish()
            done = batch
            return result
        } didCommit: {
            done?.didCommit()
        }
        if let done, done.damaged.contains(.deliveryCounts) {
            write(done.counts)
        }
        writeBlocks()
        for id in done?.damagedRows ?? [] {
            onEvent(.damagedRow(path: path, id: id))
        }
        for (kind, count) in done?.notKept ?? [:] {
            onEvent(.notKept(kind, count: count))
        }
        return result
    }

    /// Writes the full blocks of columns.
    private func writeBlocks() {
        guard memory.hasFullBlock else {
            return
        }
        do {
            // Other threads record and repair too, so columns and codes match the store only within a transaction.
            try database.write { db in
                try memory.catchUp(db)
                return memory.columns
            } _: { db, columns in
                try columns?.writeBlocks(db)
            } didCommit: {
                memory.dropBlocks(areWritten: true)
            }
        } catch StoreError.failed(_, .damaged) {
            leaveOutBlocks()
            onEvent(.columnsDamaged(path: path))
        } catch StoreError.missingTable {
            // It was reported when it was found.
            leaveOutBlocks()
        } catch {
            // The next batch tries again.
        }
    }

    /// Gives full blocks up that cannot be written: trying again would not help.
    ///
    /// Reports count their postbacks from the bytes, and recount names the blocks.
    private func leaveOutBlocks() {
        try? database.write {
            try memory.catchUp($0)
        } didCommit: {
            memory.dropBlocks(areWritten: false)
        }
    }

    // MARK: Closing

    /// Limits waits for other programs' locks to half a second from now on.
    package func prepareToClose() {
        database.prepareToClose()
    }

    /// Checkpoints the log, closes the store and releases the lease; every later call fails.
    ///
    /// - Returns: The state in which the store was closed.
    /// - Throws: Errors of closing the connections.
    @discardableResult
    package func close() throws -> StoreEnding {
        writeUnwritten()
        if unwritten.withLock({ !$0.isEmpty }) {
            onEvent(.countsNotWritten(path: path, reason: health.reason ?? "the store is closed", areLost: true))
        }
        return try database.close()
    }
}

/// Block numbers shared by an owner with its `load` hook.
private final class BlockNumbers: Sendable {
    let numbers = Mutex<[Int64]>([])
}

extension SQLiteLedgerWriter {
    /// The writing connection's settings that durability depends on, as SQLite reports them.
    package func durabilitySettings() throws -> [String: String] {
        try database.durabilitySettings()
    }

    /// Limits how many pages the file may grow by, to simulate a nearly full disk in tests.
    package func limitPages(toMoreBy pages: Int) throws {
        try database.limitPages(toMoreBy: pages)
    }
}
