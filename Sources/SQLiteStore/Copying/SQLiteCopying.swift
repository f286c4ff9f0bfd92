import Attribution
package import AttributionStore
import Foundation
import GRDB

extension SQLiteLedgerReader: LedgerCopySource {
    package func readRows(
        of table: CopiedTable, _ use: @escaping @Sendable (CopiedPage, _ isFirst: Bool) throws -> Void
    ) async throws {
        try await read { db in
            // A store that no owner has opened since a table was added does not have it.
            guard try db.tableExists(table.name) else {
                return
            }
            let cursor = try Row.fetchCursor(db, sql: table.selectSQL)
            var (rows, isFirst) = ([[CopiedValue]](), true)
            while let row = try cursor.next() {
                rows.append(try table.values(row))
                if rows.count == Self.pageSize {
                    try use(CopiedPage(table, rows), isFirst)
                    (rows, isFirst) = ([], false)
                }
            }
            if !rows.isEmpty {
                try use(CopiedPage(table, rows), isFirst)
            }
        }
    }

    private static let pageSize = 4_096
}

extension CopiedTable {
    fileprivate var selectSQL: String {
        let values = columns.map { column in
            switch column.kind {
            case .digest: "ifnull(t.\(Self.name(column.name)), x'')"
            case .postback: "ifnull(p.key_digest, x'')"
            case .integer, .count, .text, .recipient, .bytes: "t.\(column.name)"
            }
        }
        let postbacks = columns.first { $0.kind == .postback }.map { " LEFT JOIN postback AS p ON p.id = t.\($0.name)" }
        return "SELECT \(values.joined(separator: ", ")) FROM \(name) AS t\(postbacks ?? "")"
            + (hasID ? " ORDER BY t.id" : "")
    }

    func values(_ row: Row) throws -> [CopiedValue] {
        try columns.enumerated().map { index, column in
            switch column.kind {
            case .integer, .count: .integer(try row.integer(index))
            case .text, .recipient: .text(try row.text(index))
            case .bytes, .digest, .postback: .bytes(try row.bytes(at: index))
            }
        }
    }

    /// Inserts rows that are not there, within a transaction.
    func insert(_ rows: [[CopiedValue]], _ db: Database) throws {
        let values = columns.map { column in
            switch column.kind {
            case .digest: "nullif(?, x'')"
            case .postback: "nullif(?, 0)"
            case .integer, .count, .text, .recipient, .bytes: "?"
            }
        }
        let names = columns.map { Self.name($0.name) }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
                ON CONFLICT DO NOTHING
                """)
        for row in rows {
            try statement.execute(arguments: StatementArguments(row.map(\.databaseValue)))
        }
    }

    /// The name of a column in SQLite.
    private static func name(_ column: String) -> String {
        column == "content" ? "content_digest" : column
    }
}

extension CopiedValue {
    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }
}

extension SQLiteLedgerWriter: LedgerCopyTarget {
    package func beginCopy(of store: String) throws -> CopyProgress {
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS copy_source (
                        store TEXT PRIMARY KEY, -- the source's name in positions
                        position TEXT NOT NULL, -- of the last postback that was copied; empty before the first
                        has_ended INTEGER NOT NULL
                    ) STRICT
                    """)
            let progress = try CopyTargetState(db).progress(of: store, into: path)
            try progress.note(db)
            return progress
        }
    }

    package func record(_ postbacks: [CopiedPostback], _ progress: CopyProgress) throws -> Int64 {
        try batch { db in
            try PreparedDelivery.firstCopies(postbacks.map(\.digests.key), db, memory)
        } work: { batch, copies in
            var count: Int64 = 0
            for (postback, copy) in zip(postbacks, copies) where copy == nil {
                count += try batch.insert(postback, isCounted: progress.hasEnded) ? 1 : 0
            }
            try progress.note(batch.db)
            try batch.noteImported()
            return count
        }
    }

    package func add(_ rows: CopiedPage) throws {
        try database.write { db in
            try rows.table.insert(resolve(rows, db), db)
        } didCommit: {
            memory.didClaim()
        }
    }

    package func end(_ progress: CopyProgress, replacing tables: [CopiedPage]) throws {
        try database.write { db in
            _ = try CopyTargetState(db).progress(of: progress.store, into: path)
            for rows in tables {
                try db.execute(sql: "DELETE FROM \(rows.table.name)")
                try rows.table.insert(resolve(rows, db), db)
            }
            try db.execute(
                sql: """
                    DELETE FROM quarantine_total;
                    INSERT INTO quarantine_total
                        SELECT class, count(*), sum(length(body)) FROM quarantine GROUP BY class
                    """)
            try progress.note(db)
        } didCommit: {
            memory.didRepair([])
        }
    }

    private func resolve(_ rows: CopiedPage, _ db: Database) throws -> [[CopiedValue]] {
        try rows.resolved { keys in
            let copies = zip(keys, try PreparedDelivery.firstCopies(keys, db, memory))
            return Dictionary(uniqueKeysWithValues: copies.compactMap { key, copy in copy.map { (key, $0.id) } })
        }
    }
}

extension CopyTargetState {
    fileprivate init(_ db: Database) throws {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT store, EXISTS (SELECT 1 FROM postback), EXISTS (SELECT 1 FROM delivery) FROM owner
                """)
        guard let row else {
            throw DatabaseError.damagedColumn
        }
        let copy = try Row.fetchOne(db, sql: "SELECT store, position, has_ended FROM copy_source")
        self.init(
            store: try row.text(0), hasPostbacks: try row.integer(1) != 0, hasDeliveries: try row.integer(2) != 0,
            progress: try copy.map { copy in
                CopyProgress(
                    of: try copy.text(0), position: LedgerPosition(try copy.text(1)),
                    hasEnded: try copy.integer(2) != 0)
            })
    }
}

extension CopyProgress {
    fileprivate func note(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM copy_source")
        try db.execute(
            sql: "INSERT INTO copy_source VALUES (?, ?, ?)",
            arguments: [store, position?.description ?? "", hasEnded ? 1 : 0])
    }
}
