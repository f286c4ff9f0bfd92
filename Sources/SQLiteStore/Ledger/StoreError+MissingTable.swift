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
        if let first = try missingTables(path, db).first {
            throw first
        }
    }

    /// Finds the tables that are missing.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - db: The store.
    ///   - isStarting: Leaves out those that an owner makes at its start.
    /// - Returns: ``AttributionStore/StoreError/missingTable(path:table:isRecreated:)`` for each.
    /// - Throws: SQLite's errors.
    static func missingTables(_ path: String, _ db: Database, isStarting: Bool = false) throws -> [StoreError] {
        let there = Set(try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
        func missing(_ tables: [String], isRecreated: Bool) -> [StoreError] {
            tables.filter { !there.contains($0) }
                .map { .missingTable(path: path, table: $0, isRecreated: isRecreated) }
        }
        return missing(["owner", "probe", "own_network", "postback", "postback_body"], isRecreated: false)
            + missing(["quarantine"], isRecreated: true)
            + (isStarting ? [] : missing(DerivedTables.names, isRecreated: true))
    }
}
