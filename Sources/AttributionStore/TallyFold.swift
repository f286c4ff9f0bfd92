import Attribution
import GRDB

/// Brings the tally tables up to the ledger, each for itself and some thousand postbacks at a time.
///
/// A table holds exactly the postbacks up to its mark, and mark and table change in one transaction with the postbacks
/// that made it due. Whoever reads adds the few behind the mark from the ledger, in the same snapshot: so every answer
/// is exact at every commit, while a row of tallies is written once for many postbacks instead of for each.
struct TallyFold {
    private let db: Database

    /// Rows a table may wait with: to write more at once would be felt by those who wait for the commit.
    private static let rowsAtOnce = 2_048

    init(_ db: Database) {
        self.db = db
    }

    /// The last postback each table holds; 0 when it holds none.
    func marks() throws -> [TallyTable: Int64] {
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT tally, postback_id FROM tally_mark"))
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in TallyTable(rawValue: row[0]).map { ($0, row[1]) } })
    }

    /// The last postback a table holds; 0 when it holds none.
    func mark(_ table: TallyTable) throws -> Int64 {
        try marks()[table] ?? 0
    }

    /// Writes the sums of the tables that are due, and moves their marks.
    ///
    /// - Parameters:
    ///   - backlog: All that is behind the marks; what is written leaves it.
    ///   - last: The last postback in it.
    ///   - interval: How many postbacks a table may be behind; 0 writes everything.
    /// - Throws: What SQLite reports.
    func writeDue(_ backlog: inout TallyBacklog, last: Int64, interval: Int64) throws {
        for place in backlog.sums.indices {
            let (table, count) = (backlog.sums[place].table, backlog.sums[place].count)
            guard count > 0, count >= interval || backlog.sums[place].rows.count >= Self.rowsAtOnce else {
                continue
            }
            try TallyWriter(db, table).add(&backlog.sums[place].rows)
            try db.cachedStatement(sql: "UPDATE tally_mark SET postback_id = ? WHERE tally = ?")
                .execute(arguments: [last, table.rawValue])
            backlog.sums[place].removeAll()
        }
    }

    /// Sums the postbacks behind the marks from their bytes, for a process that did not count them when they came.
    func backlog() throws -> TallyBacklog {
        let marks = try marks()
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, received_at, provenance, body FROM postback WHERE id > ?",
            arguments: [TallyTable.allCases.map { marks[$0] ?? 0 }.min() ?? 0])
        var backlog = TallyBacklog()
        while let row = try rows.next() {
            let id: Int64 = row[0]
            guard let provenance = Provenance(rawValue: row[2]) else {
                throw DatabaseError(message: "postback \(id): unknown provenance \(row[2] as String)")
            }
            backlog.count(
                try ReceivedPostback(reading: row.bytes(at: 3)), provenance: provenance,
                receivedAtMilliseconds: row[1], in: { id > marks[$0] ?? 0 })
        }
        return backlog
    }
}
