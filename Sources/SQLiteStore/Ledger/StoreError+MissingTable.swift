import AttributionStore
import GRDB

extension StoreError {
    /// Reads, and names the table that is missing if that is why it fails.
    ///
    /// SQLite's code for that is the one for any mistake in a statement.
    ///
    /// - Throws: What `work` throws, or ``AttributionStore/StoreError/missingTable(path:table:isRecreated:)``.
    static func namingMissingTable<Result>(
        _ path: String, _ db: Database, _ work: (Database) throws -> Result
    ) throws -> Result {
        do {
            return try work(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            try checkTables(path, db)
            throw error
        }
    }

    /// Checks that no table is missing.
    ///
    /// - Throws: ``AttributionStore/StoreError/missingTable(path:table:isRecreated:)``, and SQLite's errors.
    static func checkTables(_ path: String, _ db: Database) throws {
        let there = Set(try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
        if let missing = ["owner", "probe", "own_network", "quarantine"].first(where: { !there.contains($0) }) {
            throw StoreError.missingTable(path: path, table: missing, isRecreated: false)
        }
        for tables in RecreatableTables.allCases {
            if let missing = tables.names.tables.first(where: { !there.contains($0) }) {
                let isRecreated = try !tables.areRecorded || LedgerScan.newestStored(db) > 0
                throw StoreError.missingTable(path: path, table: missing, isRecreated: isRecreated)
            }
        }
    }
}
