import AttributionStore
import GRDB

/// What a file has of its first postbacks, within a transaction or, for the blocks, in several consecutive ones.
struct SQLiteColumnSource: ColumnSource {
    private let db: Database
    private let reader: ColumnBlockReader
    /// The last postback that is counted.
    private let last: Int64
    /// The last postback that is in a block.
    private let lastInBlock: Int64
    /// How many blocks the store should have.
    private let dueCount: Int64
    private let snapshot: RenewedSnapshot?
    /// The last block of the first transaction.
    ///
    /// One written later may have codes that were given to other texts here, for
    /// postbacks that were in no block.
    private let lastStored: Int64

    /// Prepares to count.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - newest: Its newest postback.
    ///   - last: The last postback to count.
    ///   - snapshot: The transaction, if it is renewed between blocks.
    /// - Throws: SQLite's errors, except for damage.
    init(_ db: Database, newest: Int64, through last: Int64, _ snapshot: RenewedSnapshot? = nil) throws {
        let lastStored = try snapshot.flatMap { _ in try ColumnBlock.lastStored(db) }
        self.snapshot = lastStored == nil ? nil : snapshot
        self.lastStored = lastStored ?? .max
        self.db = db
        self.last = last
        reader = try ColumnBlockReader(db)
        lastInBlock = min(last, ColumnBlock.ids(ColumnBlock.number(of: newest + 1)).lowerBound - 1)
        dueCount = try ColumnBlock.dueCount(db, newest: newest)
    }

    var blockCount: Int64 {
        ColumnBlock.number(of: lastInBlock + Int64(ColumnBlock.rowCount))
    }

    func postbackCount(_ block: Int64) -> Int {
        postbacks(block).count
    }

    private func postbacks(_ block: Int64) -> ClosedRange<Int64> {
        ColumnBlock.ids(block).clamped(to: 1...max(1, lastInBlock))
    }

    func quarters(_ block: Int64) -> ClosedRange<Int64>? {
        nil
    }

    func missingCount(_ block: Int64) throws -> Int {
        try reader.missingCount(block, postbackCount(block))
    }

    func betweenBlocks() throws {
        try snapshot?.renewIfLogIsLong()
    }

    func load(_ block: Int64, _ column: LedgerColumn) throws -> StoredColumn? {
        guard block <= lastStored else {
            return nil
        }
        return try reader.load(block, column)
    }

    func codes(_ columns: [LedgerColumn]) throws -> ColumnCodes {
        try ColumnCodes(db, columns)
    }

    func newest(_ columns: [LedgerColumn], _ codes: inout ColumnCodes) throws -> ColumnValues? {
        guard lastInBlock < last else {
            return nil
        }
        return try ColumnDerivation(db: db, columns: columns).values((lastInBlock + 1)...last, &codes)
    }

    func derive(
        _ block: Int64,
        _ columns: [LedgerColumn],
        _ codes: inout ColumnCodes,
        _ use: (ColumnValues, ColumnCodes) throws -> Void
    ) throws -> [ClosedRange<Int64>] {
        try use(try ColumnDerivation(db: db, columns: columns).values(postbacks(block), &codes), codes)
        return block < dueCount ? [postbacks(block)] : []
    }
}
