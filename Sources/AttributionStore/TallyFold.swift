import Attribution
import GRDB

/// Brings the tally tables up to the ledger, some thousand postbacks at a time.
///
/// The tables hold exactly the postbacks up to a mark, and mark and tables change in one transaction with the postbacks
/// that made it due. Whoever reads adds the few behind the mark from the ledger, in the same snapshot: so every answer
/// is exact at every commit, while a row of tallies is written once for thousands of postbacks instead of for each.
struct TallyFold {
    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// The last postback the tables hold; 0 when they hold none.
    func mark() throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT postback_id FROM tally_mark")) ?? 0
    }

    /// Adds the sums of the postbacks behind the mark, all of them, and moves it.
    func add(_ sums: TallySums, movingTo last: Int64) throws {
        try TallyWriter(db).add(sums.rows)
        try db.execute(sql: "UPDATE tally_mark SET postback_id = ?", arguments: [last])
    }

    /// Sums the postbacks behind the mark from their bytes, for a process that did not count them when they came.
    func sumsBehindMark() throws -> TallySums {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, received_at, provenance, body FROM postback WHERE id > ?", arguments: [try mark()])
        var sums = TallySums()
        while let row = try rows.next() {
            guard let provenance = Provenance(rawValue: row[2]) else {
                throw DatabaseError(message: "postback \(row[0] as Int64): unknown provenance \(row[2] as String)")
            }
            sums.count(
                try ReceivedPostback(reading: row.bytes(at: 3)), provenance: provenance,
                receivedAtMilliseconds: row[1])
        }
        return sums
    }
}
