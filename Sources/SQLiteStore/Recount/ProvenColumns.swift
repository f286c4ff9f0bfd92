import AttributionStore
import GRDB

/// What damaged tables of columns have whose checksums are right, and which is kept when they are made anew.
///
/// It follows from the bytes again, but not where these or their rows were lost or changed.
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

    /// Finds it.
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
        var highest: [LedgerColumn: Int64] = [:]
        for text in texts {
            highest[text.column] = max(highest[text.column] ?? 0, text.code)
        }
        for number in try 0..<ColumnBlock.number(of: LedgerScan.newestRow(db) + 1) {
            for column in LedgerColumn.all {
                // A code without a text says nothing, and one beyond all texts might be assigned again.
                let most = column.isCoded ? highest[column] ?? 0 : .max
                if let proven = try ColumnBlock.proven(number, column, db), proven.highest <= most {
                    blocks.append(proven.id)
                }
            }
        }
    }

    /// Where the old table of blocks is while the new one is filled; nil if nothing of it is kept.
    var renamedTable: String? {
        blocks.isEmpty ? nil : "damaged_column_block"
    }

    /// Writes it to the new tables, within a transaction.
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
