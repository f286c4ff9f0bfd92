import Attribution
import GRDB

/// Brings the tallies up to the ledger, some thousand postbacks at a time.
///
/// A family holds exactly the postbacks up to its mark, and rows and mark change in one transaction with the postbacks
/// that made it due. Whoever reads adds the few behind the mark from the ledger, in the same snapshot: so every answer
/// is exact at every commit, while a row of tallies is written once for many postbacks instead of for each.
struct TallyFold {
    private let db: Database

    /// Apps the tallies may wait with: to write more at once would be felt by those who wait for the commit.
    private static let appsAtOnce = 4_096
    /// Postbacks read again before they are written.
    private static let readAtOnce = 262_144

    init(_ db: Database) {
        self.db = db
    }

    /// The last postback each family holds; 0 when it holds none.
    func marks() throws -> [TallyFamily: Int64] {
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT tally, postback_id FROM tally_mark"))
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in TallyFamily(rawValue: row[0]).map { ($0, row[1]) } })
    }

    /// The last postback a family holds; 0 when it holds none.
    func mark(_ family: TallyFamily) throws -> Int64 {
        try marks()[family] ?? 0
    }

    /// Writes the backlog when it is due, and moves the marks.
    ///
    /// - Parameters:
    ///   - backlog: All that is behind the marks; empty when it was written.
    ///   - last: The last postback in it.
    ///   - interval: How many postbacks it may hold; 0 writes whatever there is.
    /// - Throws: What SQLite reports.
    func writeDue(_ backlog: inout TallyBacklog, last: Int64, interval: Int) throws {
        guard backlog.count > 0, backlog.count >= interval || backlog.appCount >= Self.appsAtOnce else {
            return
        }
        try write(&backlog, last: last)
    }

    private func write(_ backlog: inout TallyBacklog, last: Int64) throws {
        let writer = try TallyWriter(db)
        try backlog.forEachApp { app, rows, merge in
            try writer.write(rows, of: app, merge)
        }
        for family in TallyFamily.allCases {
            // A family that was ahead of the others stays there: it lacked none of these.
            try db.cachedStatement(sql: "UPDATE tally_mark SET postback_id = max(postback_id, ?) WHERE tally = ?")
                .execute(arguments: [last, family.rawValue])
        }
        backlog.removeAll()
    }

    /// Reads the postbacks behind the marks from their bytes, for a process that did not count them when they came.
    ///
    /// - Returns: What is still behind them; many are written on the way, so that memory does not grow with them.
    /// - Throws: What SQLite reports, and the reader for bytes that are no postback.
    func catchUp() throws -> TallyBacklog {
        let marks = try marks()
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, received_at, provenance, body FROM postback WHERE id > ? ORDER BY id",
            arguments: [TallyFamily.allCases.map { marks[$0] ?? 0 }.min() ?? 0])
        var backlog = TallyBacklog()
        while let row = try rows.next() {
            let id: Int64 = row[0]
            guard let provenance = Provenance(rawValue: row[2]) else {
                throw DatabaseError(message: "postback \(id): unknown provenance \(row[2] as String)")
            }
            backlog.count(
                try ReceivedPostback(reading: row.bytes(at: 3)), provenance: provenance,
                receivedAtMilliseconds: row[1], in: { id > marks[$0] ?? 0 })
            if backlog.count == Self.readAtOnce {
                try write(&backlog, last: id)
            }
        }
        return backlog
    }
}
