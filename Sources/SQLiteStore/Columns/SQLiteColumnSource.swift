import Attribution
import AttributionStore
import GRDB

/// What a file has of its first postbacks, within a transaction.
struct SQLiteColumnSource: ColumnSource {
    private let db: Database
    private let reader: ColumnBlockReader
    /// The last postback that is counted.
    private let last: Int64
    /// The last postback that is in a block.
    private let lastInBlock: Int64

    init(_ db: Database, newest: Int64, through last: Int64) throws {
        self.db = db
        self.last = last
        reader = try ColumnBlockReader(db)
        lastInBlock = min(last, ColumnBlock.ids(ColumnBlock.fullCount(newest: newest)).lowerBound - 1)
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

    func times(_ block: Int64) -> (quarters: ClosedRange<Int64>, missingCount: Int)? {
        nil
    }

    func read<Result>(
        _ block: Int64, _ column: LedgerColumn, _ use: (ColumnBlock) throws -> Result
    ) throws -> Result? {
        try reader.read(block, column, use)
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
        return [postbacks(block)]
    }
}

/// Derives column values from the ledger's rows and raw bytes: for the newest postbacks, which are in no block yet, and
/// for damaged blocks.
struct ColumnDerivation {
    let db: Database
    let columns: [LedgerColumn]

    /// Calls a closure for each existing row, in ascending order of ids.
    ///
    /// - Parameters:
    ///   - ids: The rows.
    ///   - codes: The codes of the texts; new texts are added.
    ///   - use: Takes an id and its values. If the bytes cannot be read, or are not those of the row's digests, all values
    ///     but the key are those of ``ColumnRow/missing``: what damaged bytes say is not counted.
    /// - Throws: What `use` throws, and SQLite's errors.
    func each(
        _ ids: ClosedRange<Int64>,
        _ codes: inout ColumnCodes,
        _ use: (Int64, ColumnRow) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, received_at, recipient, traffic, key_digest, content_digest, body
                FROM postback LEFT JOIN postback_body USING (id) WHERE id BETWEEN ? AND ? ORDER BY id
                """, arguments: [ids.lowerBound, ids.upperBound])
        while let row = try rows.next() {
            if let facts = try facts(row) {
                try use(row.integer(0), codes.row(facts, columns))
            } else {
                // It keeps its key, so that the postback is not counted again.
                var missing = ColumnRow.missing
                missing[.key] = try row.digest(at: 4).map { Int64(bitPattern: $0.high) } ?? 0
                try use(row.integer(0), missing)
            }
        }
    }

    /// What a row and its bytes say; nil if they differ.
    private func facts(_ row: Row) throws -> PostbackFacts? {
        let traffic: Traffic = try row.word(3)
        guard !row.hasNull(atIndex: 6), let postback = try? ReceivedPostback(reading: row.bytes(at: 6)) else {
            return nil
        }
        let digests = PostbackDigests(postback, provenance: traffic.provenance)
        guard try PostbackDigests(row, at: 4) == digests else {
            return nil
        }
        return PostbackFacts(
            postback, traffic: traffic, recipient: try row.word(2), receivedAtMilliseconds: try row.integer(1),
            key: digests.key)
    }

    /// The values of some rows, column by column; 0 for missing rows.
    func values(_ ids: ClosedRange<Int64>, _ codes: inout ColumnCodes) throws -> ColumnValues {
        var values = ColumnValues(count: ids.count, columns)
        var readableCount = 0
        try each(ids, &codes) { id, row in
            values.set(row, at: Int(id - ids.lowerBound), columns)
            readableCount += row[.traffic] == 0 ? 0 : 1
        }
        values.unreadableCount = ids.count - readableCount
        return values
    }
}
