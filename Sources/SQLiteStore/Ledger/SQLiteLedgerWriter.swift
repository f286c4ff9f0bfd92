package import Attribution
package import AttributionStore
import Foundation
import GRDB
import Platform

/// The only owner of a store of postbacks in SQLite: it records, requeues quarantined deliveries, and repairs.
///
/// A commit is on disk when it returns. An exact index in memory decides whether a postback is new. Any number of
/// readers (``SQLiteLedgerReader``), in this process or in others, see what was committed and never block.
package final class SQLiteLedgerWriter: LedgerWriting {
    let database: OwnedDatabase
    let memory: WriterState
    let settings: LedgerSettings
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
        self.memory = memory
        self.settings = settings
        self.now = now ?? { Int64(Date().timeIntervalSince1970 * 1000) }
        self.onEvent = onEvent
        database = try OwnedDatabase(
            path: path, schema: LedgerSchema.schema, makesFile: settings.makesStore,
            hooks: .init(
                load: { db in
                    let rebuilt = try memory.load(db)
                    if !rebuilt.isEmpty {
                        onEvent(.indexRebuilt(path: path, rows: Int64(rebuilt.count * ColumnBlock.rowCount)))
                    }
                },
                isNewestOurs: { try LedgerScan.lastPostback($0) == memory.lastPostback },
                rehearse: { try RecordingBatch.rehearse($0, after: memory.lastRow) },
                onEvent: onEvent
            ))
        if let networks = settings.networks {
            // If this fails, the networks of an earlier owner remain.
            try? remember(networks)
        }
    }

    /// Checks that this process could own a store, without creating or changing it.
    ///
    /// - Returns: The version of its format, and whether another process owns it; nil if there is no file yet.
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

    /// Keeps keys that were added to Apple's; see ``AttributionStore/LedgerWriting/keep(_:)``.
    package func keep(_ keys: [AppleKeyRecord]) throws {
        guard !keys.isEmpty else {
            return
        }
        try database.write { try AppleKeyRecord.keep(keys, $0) }
    }

    package var path: String {
        database.path
    }

    package var name: String {
        path
    }

    /// Whether the last commit succeeded; a server that is not ready should get no traffic.
    package var health: StoreHealth {
        database.health
    }

    /// When a postback was last recorded, by this owner or an earlier one, in Unix milliseconds; nil if unknown.
    package var lastRecordedAtMilliseconds: Int64? {
        memory.lastRecordedAt
    }

    /// A reader of the same file.
    package func makeReader() throws -> any LedgerReading {
        try SQLiteLedgerReader(path)
    }

    /// Checks the files, and tries a commit if the last one failed; call it every second.
    package func heartbeat() {
        database.heartbeat()
    }

    // MARK: Recording

    /// Records a batch of deliveries in one transaction, on the calling thread.
    ///
    /// - Returns: The result of each delivery, in the same order, after the commit; nil for a delivery that was neither
    ///   recorded nor kept and has to be sent again.
    /// - Throws: ``AttributionStore/StoreError``; nothing of the batch was recorded.
    package func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        guard !deliveries.isEmpty else {
            return []
        }
        return try batch { db in
            try PreparedDelivery.prepare(deliveries, db, memory)
        } work: { batch, prepared in
            try prepared.map { try batch.record($0) }
        }
    }

    /// Runs one recording transaction.
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
        for (kind, count) in done?.notKept ?? [:] {
            onEvent(.notKept(kind, count: count))
        }
        return result
    }

    // MARK: Closing

    /// Limits waits for other programs' locks to half a second from now on.
    package func prepareToClose() {
        database.prepareToClose()
    }

    /// Checkpoints the log, closes the store and releases the lease; every later call fails.
    @discardableResult
    package func close() throws -> StoreEnding {
        try database.close()
    }
}

extension AppleKeyRecord {
    /// Writes keys, within a transaction.
    static func keep(_ keys: [AppleKeyRecord], _ db: Database) throws {
        for key in keys {
            try db.execute(
                sql: "DELETE FROM apple_key WHERE public_key = ? AND framework = ? AND signer = ?",
                arguments: [Data(key.publicKey), key.signer.framework.rawValue, key.signer.name])
        }
        try CopiedTable.appleKeys.insert(keys.map(\.row), db)
    }
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
