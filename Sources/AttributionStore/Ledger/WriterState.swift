import Attribution
import GRDB
import Synchronization

/// What the owner of a ledger keeps in memory between transactions: the exact index, the columns of the newest
/// postbacks, and how full the quarantine is.
///
/// A transaction looks rows up, keeps what it adds to itself, and hands it over when it has committed: what was rolled
/// back was never here.
final class WriterState: Sendable {
    private struct State {
        var index = PostbackIndex()
        var lastRow: Int64 = 0
        /// When it was recorded, in Unix milliseconds; nil while there is none, or its row cannot be read.
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

    /// Whether the networks were named, or are those the store remembers.
    private let areNetworksNamed: Bool

    init(_ settings: LedgerSettings) {
        areNetworksNamed = settings.networks != nil
        state = Mutex(State(room: QuarantineRoom(settings.budgets), networks: settings.networks ?? OwnNetworks()))
    }

    /// The networks whose postbacks are ours.
    var networks: OwnNetworks {
        state.withLock { $0.networks }
    }

    /// Whether some postbacks are known by their ids alone.
    var hasKnownIDs: Bool {
        state.withLock { $0.hasKnownIDs }
    }

    /// Takes over that ids were claimed.
    func didClaim() {
        state.withLock { $0.hasKnownIDs = true }
    }

    /// Reads everything from the store.
    ///
    /// - Returns: The blocks whose postbacks were indexed from their bytes, for they could not be read.
    func load(_ db: Database) throws -> [Int64] {
        let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM postback") ?? 0
        guard newest == (try LedgerScan.newestRow(db)) else {
            // No owner gave such an id out.
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        var index = PostbackIndex(capacity: Int(newest))
        let last = try ColumnBlock.dueCount(db, newest: newest) - 1
        let tail = ColumnBlock.ids(last + 1).lowerBound
        let columns = try Self.columns(db, from: tail, through: newest)
        var rebuilt: [Int64] = []
        let reader = try ColumnBlockReader(db)
        var digests: [UInt64] = []
        for number in 0..<(last + 1) {
            let ids = ColumnBlock.ids(number)
            let isRead: Void? = try reader.read(number, .key) { block in
                digests.reserveCapacity(Self.digestsAtOnce)
                for offset in 0..<ColumnBlock.rowCount {
                    digests.append(UInt64(bitPattern: block[offset]))
                }
            }
            if digests.count >= Self.digestsAtOnce || isRead == nil || number == last {
                let end = isRead == nil ? ids.lowerBound : ids.upperBound + 1
                index.insert(digests, from: end - Int64(digests.count))
                digests.removeAll(keepingCapacity: true)
            }
            if isRead == nil {
                rebuilt.append(number)
                try Self.index(ids, db, into: &index)
            }
        }
        if tail <= newest {
            try Self.index(tail...newest, db, into: &index)
        }
        // A damaged page must keep nobody from recording what it does not concern.
        let hasKnownIDs =
            try Database.passingDamage {
                try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM known_id)") ?? false
            } ?? true
        let remembered = try String.fetchAll(db, sql: "SELECT ad_network_id FROM own_network")
        // Only a metric: a damaged row must not keep the store from being opened.
        let recordedAt = try? Int64.fetchOne(
            db, sql: "SELECT recorded_at FROM postback WHERE id = ?", arguments: [newest])
        try state.withLock { state in
            state.index = index
            state.lastRow = newest
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

    /// Two million: 50 MB for a moment.
    private static let digestsAtOnce = 512 * ColumnBlock.rowCount

    /// Indexes rows from their bytes.
    private static func index(_ ids: ClosedRange<Int64>, _ db: Database, into index: inout PostbackIndex) throws {
        let derivation = ColumnDerivation(db: db, columns: [.key])
        var codes = try ColumnCodes(db, [])
        var next = ids.lowerBound
        func lost(before id: Int64) throws {
            while next < id {
                // An entry too many is harmless: a hit is confirmed by the row.
                for key in try derivation.keys(ofLostRow: next) {
                    index.insert(key, row: UInt32(next))
                }
                next += 1
            }
        }
        try derivation.each(ids, &codes) { id, row in
            try lost(before: id)
            index.insert(UInt64(bitPattern: row[.key]), row: UInt32(id))
            next = id + 1
        }
        try lost(before: ids.upperBound + 1)
    }

    /// Forgets what a transaction that failed added to the columns, and reads again what a repair changed; before a
    /// transaction.
    func catchUp(_ db: Database) throws {
        try state.withLock { state in
            let newest = state.lastRow
            state.columns?.cut(through: newest)
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

    private static func columns(_ db: Database, from first: Int64, through newest: Int64) throws -> ColumnWriter {
        var columns = ColumnWriter(try ColumnCodes(db), from: first)
        try columns.load(db, through: newest)
        return columns
    }

    /// The rows under a digest, as of the last commit.
    func rows(_ digest: UInt64) -> [UInt32] {
        state.withLock { $0.index.rows(digest) }
    }

    /// The last row id given out by a committed transaction.
    var lastRow: Int64 {
        state.withLock { $0.lastRow }
    }

    /// When the last postback was recorded, in Unix milliseconds, as of the last commit.
    var lastRecordedAt: Int64? {
        state.withLock { $0.lastRecordedAt }
    }

    /// How full the quarantine is, as of the last commit.
    var room: QuarantineRoom {
        state.withLock { $0.room }
    }

    /// Adds the next postback of the present transaction to the columns.
    func append(_ facts: PostbackFacts) {
        state.withLock { $0.columns?.append(facts) }
    }

    /// Whether a block of columns is full.
    var hasFullBlock: Bool {
        state.withLock { $0.columns?.hasFullBlock ?? false }
    }

    /// The columns of the newest postbacks, once caught up; those who write them hold the store.
    var columns: ColumnWriter? {
        state.withLock { $0.columns }
    }

    /// Lets go of blocks that are full, and that the store has unless it is damaged.
    func dropBlocks(areWritten: Bool) {
        state.withLock { $0.columns?.dropBlocks(areWritten: areWritten) }
    }

    /// Takes over what a repair changed: the digests of rows, and that columns and totals were made again.
    func didRepair(_ digests: [(digest: UInt64, row: Int64)]) {
        state.withLock { state in
            // An entry too many is harmless: a hit is confirmed by the row.
            for (digest, row) in digests where digest != 0 {
                let row = UInt32(truncatingIfNeeded: row)
                if !state.index.rows(digest).contains(row) {
                    state.index.insert(digest, row: row)
                }
            }
            state.isStale = true
        }
    }

    /// Takes over what a transaction added, after its commit and before the next one begins.
    ///
    /// - Parameters:
    ///   - digests: Those of the rows it inserted, in their order.
    ///   - recordedAt: When it inserted them, in Unix milliseconds.
    ///   - room: How full the quarantine is now.
    func add(_ digests: [UInt64], recordedAt: Int64, _ room: QuarantineRoom) {
        state.withLock { state in
            if !digests.isEmpty {
                state.lastRecordedAt = recordedAt
            }
            for digest in digests {
                state.lastRow += 1
                state.index.insert(digest, row: UInt32(truncatingIfNeeded: state.lastRow))
            }
            state.room = room
        }
    }
}
