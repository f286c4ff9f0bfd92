import Attribution
import Foundation
import GRDB

/// Makes the values of columns again from the ledger's rows and the raw bytes: for the newest postbacks, which are in no
/// block yet, and for whatever is damaged.
struct ColumnDerivation {
    let db: Database
    let columns: [LedgerColumn]

    /// Hands over each row, in the order of ids; one that is gone is left out.
    ///
    /// - Parameters:
    ///   - ids: Which; the last must be no later than the newest there is.
    ///   - codes: Gives texts their codes, new ones among them.
    ///   - use: Takes an id and its values; ``ColumnRow/missing`` but for the key where the bytes cannot be read.
    /// - Throws: What `use` throws, and what SQLite reports of anything but damage.
    func each(
        _ ids: ClosedRange<Int64>,
        _ codes: inout ColumnCodes,
        _ use: (Int64, ColumnRow) throws -> Void
    ) throws {
        let scan = LedgerScan(
            db: db, columns: "id, received_at, recipient, traffic, key_digest, body",
            table: "postback LEFT JOIN postback_body USING (id)")
        try scan.each(ids) { row in
            if let facts = try? PostbackFacts(row) {
                return try use(row.integer(0), codes.row(facts, columns))
            }
            try use(row.integer(0), try missing(row, digestAt: 4))
        } skip: { id in
            // The page with the bytes may be damaged and not the one with the row.
            let row = try Database.passingDamage {
                try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT key_digest FROM postback WHERE id = ?"), arguments: [id])
            }
            if let row = row.flatMap(\.self) {
                try use(id, try missing(row, digestAt: 0))
            }
        }
    }

    /// A row without its bytes: what was once counted must not be counted again.
    private func missing(_ row: Row, digestAt index: Int) throws -> ColumnRow {
        var missing = ColumnRow.missing
        if let digest = try row.digest(at: index) {
            missing[.key] = Int64(bitPattern: digest.high)
        }
        return missing
    }

    /// The keys a postback may have had whose row is gone but not its bytes; nobody knows what verified it.
    func keys(ofLostRow id: Int64) throws -> [UInt64] {
        guard let body = try? Row.fetchOne(db, sql: "SELECT body FROM postback_body WHERE id = ?", arguments: [id]),
            let postback = try? ReceivedPostback(reading: body.bytes(at: 0))
        else {
            return []
        }
        return Provenance.allCases.map { PostbackDigests.key(of: postback, provenance: $0).high }
    }

    /// The values of some rows, column by column; those of rows that are gone are 0.
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

extension PostbackFacts {
    /// Takes a row of `…, received_at, recipient, traffic, key_digest, body`.
    ///
    /// The key follows from the bytes, not from the stored digest: it decides what is counted.
    ///
    /// - Throws: What is wrong with the row or with the bytes.
    init(_ row: Row) throws {
        let traffic: Traffic = try row.word(3)
        let postback = try ReceivedPostback(reading: row.bytes(at: 5))
        self.init(
            postback, traffic: traffic, recipient: try row.word(2), receivedAtMilliseconds: try row.integer(1),
            key: PostbackDigests.key(of: postback, provenance: traffic.provenance))
    }
}

/// Values of some postbacks in every column.
struct ColumnValues {
    private(set) var columns: [[Int64]]
    let count: Int

    init(count: Int, _ chosen: [LedgerColumn] = LedgerColumn.allCases) {
        self.count = count
        columns = LedgerColumn.allCases.map { Array(repeating: 0, count: chosen.contains($0) ? count : 0) }
    }

    /// How many of the postbacks cannot be read.
    fileprivate(set) var unreadableCount = 0

    subscript(column: LedgerColumn) -> [Int64] {
        columns[column.rawValue]
    }

    mutating func set(_ row: ColumnRow, at index: Int, _ chosen: [LedgerColumn] = LedgerColumn.allCases) {
        for column in chosen {
            columns[column.rawValue][index] = row[column]
        }
    }

    mutating func set(_ block: ColumnBlock, _ column: LedgerColumn) {
        for index in 0..<count {
            columns[column.rawValue][index] = block[index]
        }
    }

    /// The values of one postback.
    func row(at index: Int) -> ColumnRow {
        var row = ColumnRow()
        for column in LedgerColumn.allCases {
            row[column] = columns[column.rawValue][index]
        }
        return row
    }
}
