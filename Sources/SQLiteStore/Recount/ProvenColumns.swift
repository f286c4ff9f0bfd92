import AttributionStore
import GRDB

/// The columns and texts in damaged tables whose checksums match; a repair keeps them.
///
/// They follow from the bytes again, but not where these or their rows were lost or changed.
struct ProvenColumns {
    /// The row ids of columns of blocks.
    private var blocks: [Int64] = []
    private var texts: [Text] = []

    private struct Text {
        let column: LedgerColumn
        let code: Int64
        let value: String
        let checksum: Int64
    }

    /// Reads them.
    ///
    /// - Throws: SQLite's errors, except for damage.
    init(_ db: Database) throws {
        if try db.tableExists("column_value") {
            for column in LedgerColumn.coded {
                try readTexts(column, db)
            }
        }
        if try db.tableExists("column_block") {
            try readBlocks(db)
        }
    }

    /// Reads the texts of a column, from the other end if there is a damaged page.
    private mutating func readTexts(_ column: LedgerColumn, _ db: Database) throws {
        for order in ["ASC", "DESC"] {
            let isWhole: Void? = try Database.nilIfDamaged {
                let rows = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT code, value, checksum FROM column_value WHERE column_number = ? ORDER BY code \(order)
                        """, arguments: [column.rawValue])
                while let row = try rows.next() {
                    if let code = try? row.integer(0), let value = try? row.text(1), let checksum = try? row.integer(2),
                        checksum == ColumnCodes.checksum(column, code, value)
                    {
                        texts.append(Text(column: column, code: code, value: value, checksum: checksum))
                    }
                }
            }
            if isWhole != nil {
                return
            }
        }
    }

    private mutating func readBlocks(_ db: Database) throws {
        for number in try 0..<ColumnBlock.number(of: LedgerScan.newestRow(db) + 1) {
            for column in LedgerColumn.all {
                if let id = try ColumnBlock.proven(number, column, db) {
                    blocks.append(id)
                }
            }
        }
    }

    /// Where the old table of blocks is while the new one is filled; nil if no column is kept.
    var renamedTable: String? {
        blocks.isEmpty ? nil : "damaged_column_block"
    }

    /// Writes them to the new tables, within a transaction.
    func write(_ db: Database) throws {
        if let renamedTable {
            for id in blocks {
                try db.cachedStatement(sql: "INSERT INTO column_block SELECT * FROM \(renamedTable) WHERE id = ?")
                    .execute(arguments: [id])
            }
        }
        for text in texts {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO column_value VALUES (?, ?, ?, ?)")
                .execute(arguments: [text.column.rawValue, text.code, text.value, text.checksum])
        }
    }
}
