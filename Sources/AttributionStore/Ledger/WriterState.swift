import Attribution
import GRDB
import Synchronization

/// What the owner of a ledger keeps in memory between transactions: the exact index, the tallies that are not written
/// yet, and how full the quarantine is.
///
/// A transaction looks rows up, keeps what it adds to itself, and hands it over when it has committed: what was rolled
/// back was never here.
final class WriterState: Sendable {
    private struct State {
        var index = PostbackIndex()
        var lastRow: Int64 = 0
        /// What the tallies lack; nil while a transaction adds to it, and after one that failed.
        var backlog: TallyBacklog?
        var room: QuarantineRoom
        /// Whether a repair changed the totals in the store.
        var isRoomStale = false
        var networks: OwnNetworks
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

    /// Reads everything from the store.
    ///
    /// - Returns: The rows that were indexed from themselves, as their part of the stored index was damaged.
    func load(_ db: Database) throws -> [ClosedRange<Int64>] {
        let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM postback") ?? 0
        guard newest <= UInt32.max else {
            // No owner gave such an id out.
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        var index = PostbackIndex(capacity: Int(newest))
        let rebuilt = try KeyBlock.each(db, through: newest) { row, digest in
            index.insert(digest, row: UInt32(truncatingIfNeeded: row))
        }
        let remembered = try String.fetchAll(db, sql: "SELECT ad_network_id FROM own_network")
        try state.withLock { state in
            state.index = index
            state.lastRow = newest
            state.backlog = nil
            try state.room.load(db)
            if !areNetworksNamed {
                state.networks = OwnNetworks(remembered)
            }
        }
        return rebuilt
    }

    /// Sums what the tallies lack, and looks how full the quarantine is, unless that is known; outside a transaction.
    ///
    /// What is far behind is written on the way, each part in a transaction of the owner's.
    func catchUp(_ db: Database, _ database: OwnedDatabase) throws {
        let isKnown = try state.withLock { state in
            if state.isRoomStale {
                try state.room.load(db)
                state.isRoomStale = false
            }
            return state.backlog != nil
        }
        guard !isKnown else {
            return
        }
        while true {
            var (backlog, last, isAll) = try TallyFold(db).catchUp()
            if isAll {
                return state.withLock { $0.backlog = backlog }
            }
            try database.fenced(db) { try TallyFold($0).write(&backlog, last: last) }
        }
    }

    /// The rows under a digest, as of the last commit.
    func rows(_ digest: UInt64) -> [UInt32] {
        state.withLock { $0.index.rows(digest) }
    }

    /// The last row id given out by a committed transaction.
    var lastRow: Int64 {
        state.withLock { $0.lastRow }
    }

    /// How full the quarantine is, as of the last commit.
    var room: QuarantineRoom {
        state.withLock { $0.room }
    }

    /// Lends the backlog to a transaction, which adds to it in place and hands it back when it has committed; after one
    /// that failed, ``catchUp(_:_:)`` makes it again.
    func takeBacklog() -> TallyBacklog {
        state.withLock { $0.backlog.take() } ?? TallyBacklog()
    }

    /// Takes over what a repair changed: the digests of rows, and that tallies and totals were made again.
    func didRepair(_ digests: [(digest: UInt64, row: Int64)]) {
        state.withLock { state in
            // An entry too many is harmless: a hit is confirmed by the row.
            for (digest, row) in digests {
                state.index.insert(digest, row: UInt32(truncatingIfNeeded: row))
            }
            state.backlog = nil
            state.isRoomStale = true
        }
    }

    /// How much is behind the tallies' marks: postbacks, and apps.
    var backlogSize: (postbacks: Int, apps: Int) {
        state.withLock { ($0.backlog?.count ?? 0, $0.backlog?.appCount ?? 0) }
    }

    /// Takes over what a transaction added, after its commit and before the next one begins.
    ///
    /// - Parameters:
    ///   - digests: Those of the rows it inserted, in their order.
    ///   - backlog: What is behind the marks, if the transaction took it.
    ///   - counted: What it adds to the backlog otherwise.
    ///   - room: How full the quarantine is now.
    func add(
        _ digests: [UInt64],
        _ backlog: TallyBacklog?,
        _ counted: [CountedPostback],
        _ room: QuarantineRoom
    ) {
        state.withLock { state in
            for digest in digests {
                state.lastRow += 1
                state.index.insert(digest, row: UInt32(truncatingIfNeeded: state.lastRow))
            }
            if let backlog {
                state.backlog = backlog
            } else {
                state.backlog?.count(counted)
            }
            state.room = room
        }
    }
}
