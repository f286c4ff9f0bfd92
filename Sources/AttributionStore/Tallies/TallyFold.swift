import Attribution
import GRDB

/// Brings the tallies up to the ledger, some thousand postbacks at a time.
///
/// A family holds exactly the postbacks up to its mark, and rows and mark change in one transaction with the postbacks
/// that made it due. Whoever reads adds the few behind the mark from the ledger, in the same snapshot: so every answer
/// is exact at every commit, while a row of tallies is written once for many postbacks instead of for each.
struct TallyFold {
    private let db: Database

    /// The most apps in the backlog: a larger one would delay a commit noticeably.
    private static let appsAtOnce = 4_096
    /// Postbacks read again before they are written.
    private static let readAtOnce: Int64 = 262_144

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

    /// Whether a backlog may have become too large to wait.
    static func isDue(postbacks: Int, apps: Int, interval: Int) -> Bool {
        postbacks > 0 && (postbacks >= interval || apps >= appsAtOnce)
    }

    /// Writes the backlog when it is due, and moves the marks.
    ///
    /// - Parameters:
    ///   - backlog: All that is behind the marks; empty when it was written.
    ///   - last: The last postback in it.
    ///   - interval: How many postbacks it may hold; 0 writes whatever there is.
    /// - Throws: What SQLite reports.
    func writeDue(_ backlog: inout TallyBacklog, last: Int64, interval: Int) throws {
        guard Self.isDue(postbacks: backlog.count, apps: backlog.appCount, interval: interval) else {
            return
        }
        try write(&backlog, last: last)
    }

    /// Writes the backlog, and moves the marks.
    func write(_ backlog: inout TallyBacklog, last: Int64) throws {
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

    /// Sums the postbacks behind the marks by their columns, for a process that did not count them when they came.
    ///
    /// - Returns: What is behind them, the last of it, and whether that is all: of many it is the first part, to be
    ///   written before the next.
    /// - Throws: What SQLite reports. Rows that are damaged are left to the recount, which names them.
    func catchUp() throws -> (backlog: TallyBacklog, last: Int64, isAll: Bool) {
        let marks = try marks()
        let first = (TallyFamily.allCases.map { marks[$0] ?? 0 }.min() ?? 0) + 1
        let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM postback") ?? 0
        var backlog = TallyBacklog()
        let last = min(newest, first + Self.readAtOnce - 1)
        guard first <= last else {
            return (backlog, newest, true)
        }
        let columns = ["id", "received_at", "traffic"] + TraitColumns.names + ReportDimension.stored.map(\.column)
        let dimensions = 3 + TraitColumns.names.count
        try LedgerScan(db: db, columns: columns.joined(separator: ", "), table: "postback").each(first...last) { row in
            let id: Int64 = row[0]
            guard let traffic = Traffic(rawValue: row[2]), let traits = try? TraitColumns.traits(row, at: 3) else {
                return
            }
            backlog.count(
                traits, ReportDimension.stored.indices.map { row[dimensions + $0] }, traffic: traffic,
                receivedAtMilliseconds: row[1], in: { id > marks[$0] ?? 0 })
        }
        return (backlog, last, last == newest)
    }
}
