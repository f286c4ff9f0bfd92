import GRDB

/// What the readable rows before and after a lost one say in a column that grows with their ids.
struct NearestRows {
    /// The value before; the least one if there is none.
    let lower: Int64
    /// The value after; the greatest one if there is none.
    let upper: Int64

    /// Reads both.
    ///
    /// - Parameters:
    ///   - column: A column of `postback`.
    ///   - id: The lost row.
    ///   - db: The store.
    /// - Throws: SQLite's errors, except for damage.
    init(_ column: String, of id: Int64, _ db: Database) throws {
        func value(_ sql: String) throws -> Int64? {
            let value = try Database.nilIfDamaged {
                try Row.fetchOne(db.cachedStatement(sql: "SELECT \(column) FROM postback \(sql)"), arguments: [id])?
                    .integer(0)
            }
            return value.flatMap(\.self)
        }
        lower = try value("WHERE id < ? ORDER BY id DESC LIMIT 1") ?? .min
        upper = try value("WHERE id > ? ORDER BY id LIMIT 1") ?? .max
    }

    /// Whether a value is between both.
    func contains(_ value: Int64) -> Bool {
        lower <= value && value <= upper
    }
}
