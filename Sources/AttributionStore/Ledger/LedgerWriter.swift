package import Attribution
import Foundation
import GRDB
import Synchronization

/// The one owner of a store of postbacks in SQLite: records, judges the quarantine again, repairs.
///
/// A commit has reached the disk when it returns. Uniqueness is decided by an exact index in the memory of this owner;
/// any number of readers (``LedgerReader``), in this process or in others, see what was committed and never wait.
package final class LedgerWriter: Sendable {
    let database: OwnedDatabase
    let memory: WriterState
    let settings: LedgerSettings
    /// Blocks that could not be read when the store was opened.
    private let damagedBlocks: BlockNumbers
    /// Whether ``StoreEvent/quarantineDamaged(path:)`` was reported: a flood must not fill the log.
    private let isQuarantineDamageKnown = Mutex(false)
    private let onEvent: @Sendable (StoreEvent) -> Void
    private let now: @Sendable () -> Int64

    /// Opens a store for recording, and creates it when the file does not exist.
    ///
    /// When the disk does not allow it now, as when it is full, the store is opened by a later call; see ``health``.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - settings: What is counted how, and what is kept.
    ///   - now: The present, in Unix milliseconds, noted with each row; by default the system's clock.
    ///   - onEvent: Told what an operator should hear of, on any thread.
    /// - Throws: ``StoreError``.
    package init(
        path: String,
        settings: LedgerSettings = LedgerSettings(),
        now: (@Sendable () -> Int64)? = nil,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws {
        let memory = WriterState(settings)
        let path = try OwnedDatabase.resolved(path)
        let damagedBlocks = BlockNumbers()
        self.damagedBlocks = damagedBlocks
        self.memory = memory
        self.settings = settings
        self.now = now ?? { Int64(Date().timeIntervalSince1970 * 1000) }
        self.onEvent = onEvent
        database = try OwnedDatabase(
            path: path, schema: LedgerSchema.schema,
            hooks: .init(
                load: { db in
                    try DerivedTables.makeMissing(db)
                    try db.execute(sql: LedgerSchema.imports)
                    let rebuilt = try memory.load(db)
                    if !rebuilt.isEmpty {
                        onEvent(.indexRebuilt(path: path, rows: Int64(rebuilt.count * ColumnBlock.rowCount)))
                    }
                    damagedBlocks.numbers.withLock { $0 = rebuilt }
                },
                isNewestOurs: { db in
                    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM postback")) ?? 0 == memory.lastRow
                },
                newestRow: { memory.lastRow },
                rehearse: { try RecordingBatch.rehearse($0, after: memory.lastRow) },
                onEvent: onEvent
            ))
        if let networks = settings.networks {
            // What fails now only leaves what an earlier owner named.
            try? remember(networks)
        }
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

    /// When a postback was last recorded, by this owner or an earlier one, in Unix milliseconds; nil when that is not
    /// known.
    package var lastRecordedAtMilliseconds: Int64? {
        memory.lastRecordedAt
    }

    /// Looks after the files, proves itself with a commit while the last one failed, and mends a few blocks of columns
    /// that were damaged or made by other rules when the store was opened; to be called each second.
    package func heartbeat() {
        database.heartbeat()
        for _ in 0..<Self.blocksABeat where health == .ready {
            guard let number = damagedBlocks.numbers.withLock({ $0.popLast() }) else {
                return
            }
            // What fails now is tried by the next owner.
            _ = try? database.write {
                try Mending(db: $0).mend(.block(number))
            } didCommit: {
                memory.didRepair([])
            }
        }
    }

    /// Each takes as long as reading 4,096 bodies, and recording waits for it.
    private static let blocksABeat = 2

    /// Records a batch in one transaction, on the calling thread: postbacks, columns, quarantine and delivery counts
    /// together or not at all.
    ///
    /// Where part of the store is damaged, the batch is recorded in several transactions, so that the damage stops those
    /// alone who meet it.
    ///
    /// - Parameter deliveries: Judged deliveries in the order received.
    /// - Returns: What became of each, in the same order, after the commit; nil for one that can be neither recorded nor
    ///   kept, whose sender must come back.
    /// - Throws: ``StoreError``, when nothing of the batch was recorded.
    package func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        guard !deliveries.isEmpty else {
            return []
        }
        do {
            return try batch { db in
                try PreparedDelivery.prepare(deliveries, db, memory)
            } work: { batch, prepared in
                try prepared.map { try batch.record($0) }
            }
        } catch StoreError.failed(_, .damaged) {
            // Damage stops those alone who meet it; of two halves one may be on the disk already.
            guard deliveries.count > 1 else {
                return [try? recordWithoutQuarantine(deliveries[0])]
            }
            let half = deliveries.count / 2
            return [deliveries[..<half], deliveries[half...]].flatMap { part in
                (try? record(Array(part))) ?? Array(repeating: nil, count: part.count)
            }
        }
    }

    /// Counts a delivery that is no postback where its body cannot be kept, for it should not come back.
    ///
    /// - Throws: ``StoreError``, for whatever the store needs undamaged.
    private func recordWithoutQuarantine(_ delivery: Delivery) throws -> Recording? {
        guard case .rejected = delivery.judgement else {
            return nil
        }
        let recording = try batch { db in
            try PreparedDelivery.prepare([delivery], db, memory)
        } work: { batch, prepared in
            batch.isQuarantineDamaged = true
            return try prepared.first.flatMap { try batch.record($0) }
        }
        let isKnown = isQuarantineDamageKnown.withLock { isKnown in
            defer { isKnown = true }
            return isKnown
        }
        if !isKnown {
            onEvent(.quarantineDamaged(path: path))
        }
        return recording
    }

    /// Does the work of one recording transaction.
    ///
    /// - Parameters:
    ///   - prepare: Reads what the work needs, before the transaction.
    ///   - work: The work.
    /// - Returns: What the work returned, after the commit.
    /// - Throws: ``StoreError``, and what both throw.
    func batch<Prepared, Result>(
        _ prepare: (Database) throws -> Prepared,
        work: (inout RecordingBatch, Prepared) throws -> Result
    ) throws -> Result {
        var done: RecordingBatch?
        let result = try database.write { db in
            try memory.catchUp(db)
            return try prepare(db)
        } _: { db, prepared in
            var batch = try RecordingBatch(db, networks: memory.networks, memory: memory, now: now())
            let result = try work(&batch, prepared)
            try batch.finish()
            done = batch
            return result
        } didCommit: {
            done?.didCommit()
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

    /// Writes the blocks of columns that are full.
    private func writeBlocks() {
        guard memory.hasFullBlock else {
            return
        }
        do {
            // Only within a transaction are columns and codes those of the store: others record and mend, too.
            try database.write { db in
                try memory.catchUp(db)
                return memory.columns
            } _: { db, columns in
                try columns?.writeBlocks(db)
            } didCommit: {
                memory.dropBlocks(areWritten: true)
            }
        } catch StoreError.failed(_, .damaged) {
            // What is damaged there will be so the next time. Reports count from the bytes, and recount names it.
            try? database.write {
                try memory.catchUp($0)
            } didCommit: {
                memory.dropBlocks(areWritten: false)
            }
            onEvent(.columnsDamaged(path: path))
        } catch {
            // The next batch tries again.
        }
    }

    // MARK: Closing

    /// Waits for other programs' locks for half a second at most from now on.
    package func prepareToClose() {
        database.prepareToClose()
    }

    /// Moves the log into the store, closes it and gives the lease back; every method fails afterwards.
    ///
    /// - Returns: How the store was left.
    /// - Throws: What closing the connections reports.
    @discardableResult
    package func close() throws -> StoreEnding {
        try database.close()
    }
}

/// Shared by an owner with what loads its memory.
private final class BlockNumbers: Sendable {
    let numbers = Mutex<[Int64]>([])
}

extension LedgerWriter {
    /// The settings of the writing connection on which durability rests, as SQLite reports them.
    package func durabilitySettings() throws -> [String: String] {
        try database.durabilitySettings()
    }

    /// Lets the file grow by some pages and no more, as a disk does that is nearly full.
    package func limitPages(toMoreBy pages: Int) throws {
        try database.limitPages(toMoreBy: pages)
    }
}
