import Attribution
import AttributionStore
import GRDB
import Synchronization

/// The owner's state between transactions: the exact index, the columns of the newest postbacks, and the room in the
/// quarantine.
///
/// A transaction looks up rows here, and adds its own rows only after its commit.
final class WriterState: Sendable {
    private struct State {
        var index = PostbackIndex()
        var lastRow: Int64 = 0
        /// The last row of `postback`; less than ``lastRow`` if damage took the last.
        var lastPostback: Int64 = 0
        /// When the last row was recorded, in Unix milliseconds; nil if there is none.
        var lastRecordedAt: Int64?
        /// Nil until the store is read.
        var columns: ColumnWriter?
        var room: QuarantineRoom
        /// Whether a repair may have changed codes and totals in the store.
        var isStale = false
        var networks: OwnNetworks
        /// Whether some postbacks are known by their ids alone.
        var hasKnownIDs = false
    }

    private let state: Mutex<State>

    /// Whether the settings name the own networks; if not, the store's are used.
    private let areNetworksNamed: Bool

    init(_ settings: LedgerSettings) {
        areNetworksNamed = settings.networks != nil
        state = Mutex(State(room: QuarantineRoom(settings.budgets), networks: settings.networks ?? OwnNetworks()))
    }

    // MARK: Loading

    /// Two million digests, which take 50 MB while they are inserted.
    private static let digestBatchSize = 512 * ColumnBlock.rowCount

    /// Loads the state from the store.
    ///
    /// - Returns: The blocks that could not be read, and whose postbacks were indexed from their rows.
    func load(_ db: Database) throws -> [Int64] {
        let newest = try LedgerScan.newestRow(db)
        let lastPostback = try LedgerScan.lastPostback(db)
        let blockCount = ColumnBlock.fullCount(newest: newest)
        let columns = try Self.columns(db, from: ColumnBlock.ids(blockCount).lowerBound, through: newest)
        let (index, rebuilt) = try Self.index(db, blockCount: blockCount, through: newest)
        let hasKnownIDs = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM known_id)") ?? false
        let remembered = try String.fetchAll(db, sql: "SELECT ad_network_id FROM own_network")
        let recordedAt = try Int64.fetchOne(
            db, sql: "SELECT recorded_at FROM postback WHERE id = ?", arguments: [newest])
        try state.withLock { state in
            state.index = index
            state.lastRow = newest
            state.lastPostback = lastPostback
            state.lastRecordedAt = recordedAt
            state.columns = columns
            state.hasKnownIDs = hasKnownIDs
            try state.room.load(db)
            if !areNetworksNamed {
                state.networks = OwnNetworks(remembered)
            }
        }
        return rebuilt
    }

    /// Indexes all rows: those in blocks from the columns of keys, which are read much faster, and the others by themselves.
    private static func index(
        _ db: Database, blockCount: Int64, through newest: Int64
    ) throws -> (PostbackIndex, rebuilt: [Int64]) {
        // A damaged id may be any number, but each postback takes at least this much of the file.
        let bytes = try Int64.fetchOne(
            db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        var index = PostbackIndex(capacity: Int(min(newest, (bytes ?? 0) / 64)))
        var rebuilt: [Int64] = []
        let reader = try ColumnBlockReader(db)
        var digests: [UInt64] = []
        var first: Int64 = 1
        for number in 0...blockCount {
            let ids = ColumnBlock.ids(number).clamped(to: 1...max(1, newest))
            var isRead = newest == 0
            if number < blockCount {
                isRead = try reader.read(number, .key) { $0.append(to: &digests, count: ColumnBlock.rowCount) } != nil
                if !isRead {
                    rebuilt.append(number)
                }
            }
            if !isRead, first + Int64(digests.count) <= newest {
                digests += try Self.digests(ids, db)
            }
            if digests.count >= digestBatchSize || number == blockCount {
                index.insert(digests, from: first)
                first += Int64(digests.count)
                digests.removeAll(keepingCapacity: true)
            }
        }
        return (index, rebuilt)
    }

    /// The digests of rows; 0 for missing ones.
    private static func digests(_ ids: ClosedRange<Int64>, _ db: Database) throws -> [UInt64] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, key_digest FROM postback WHERE id BETWEEN ? AND ?",
            arguments: [ids.lowerBound, ids.upperBound])
        var digests = Array(repeating: UInt64(0), count: ids.count)
        while let row = try rows.next() {
            guard let digest = try row.digest(at: 1) else {
                throw DatabaseError.damagedColumn
            }
            digests[Int(try row.integer(0) - ids.lowerBound)] = digest.high
        }
        return digests
    }

    private static func columns(_ db: Database, from first: Int64, through newest: Int64) throws -> ColumnWriter {
        var columns = ColumnWriter(try ColumnCodes(db), from: first)
        try columns.load(db, through: newest)
        return columns
    }

    // MARK: Reading

    /// The networks whose postbacks are ours.
    var networks: OwnNetworks {
        state.withLock { $0.networks }
    }

    /// Whether some postbacks are known by their ids alone.
    var hasKnownIDs: Bool {
        state.withLock { $0.hasKnownIDs }
    }

    /// The rows under a digest, as of the last commit.
    func rows(_ digest: UInt64) -> [UInt32] {
        state.withLock { $0.index.rows(digest) }
    }

    /// The last row id given out by a committed transaction.
    var lastRow: Int64 {
        state.withLock { $0.lastRow }
    }

    /// The last row of `postback`, as of the last commit.
    var lastPostback: Int64 {
        state.withLock { $0.lastPostback }
    }

    /// When the last postback was recorded, in Unix milliseconds, as of the last commit.
    var lastRecordedAt: Int64? {
        state.withLock { $0.lastRecordedAt }
    }

    /// The room in the quarantine, as of the last commit.
    var room: QuarantineRoom {
        state.withLock { $0.room }
    }

    // MARK: Recording

    /// Before a transaction, discards what a failed one added to the columns, and reloads what a repair changed.
    func catchUp(_ db: Database) throws {
        try state.withLock { state in
            let newest = state.lastRow
            state.columns?.truncate(through: newest)
            guard state.isStale else {
                return
            }
            try state.room.load(db)
            if let first = state.columns?.first {
                state.columns = try Self.columns(db, from: first, through: newest)
            }
            state.isStale = false
        }
    }

    /// Adds the next postback of the current transaction to the columns.
    func append(_ facts: PostbackFacts) {
        state.withLock { $0.columns?.append(facts) }
    }

    /// Writes the blocks of columns that are full, in the current transaction.
    func writeBlocks(_ db: Database) throws {
        try state.withLock { $0.columns }?.writeBlocks(db)
    }

    /// Adds what a transaction recorded, after its commit and before the next one begins.
    ///
    /// - Parameters:
    ///   - digests: The digests of the inserted rows, in order.
    ///   - recordedAt: When they were recorded, in Unix milliseconds.
    ///   - room: The room in the quarantine.
    func add(_ digests: [UInt64], recordedAt: Int64, _ room: QuarantineRoom) {
        state.withLock { state in
            if !digests.isEmpty {
                state.lastRecordedAt = recordedAt
            }
            for digest in digests {
                state.lastRow += 1
                state.index.insert(digest, row: UInt32(truncatingIfNeeded: state.lastRow))
                state.lastPostback = state.lastRow
            }
            state.room = room
            state.columns?.dropBlocks()
        }
    }

    /// Notes that ids were claimed.
    func didClaim() {
        state.withLock { $0.hasKnownIDs = true }
    }

    /// Adds the digests that a repair corrected, and marks columns and totals as outdated.
    func didRepair(_ digests: [(digest: UInt64, row: Int64)]) {
        state.withLock { state in
            // An extra entry is harmless, because a hit is compared with the row.
            for (digest, row) in digests where digest != 0 {
                let row = UInt32(truncatingIfNeeded: row)
                if !state.index.rows(digest).contains(row) {
                    state.index.insert(digest, row: row)
                }
            }
            state.isStale = true
        }
    }
}
