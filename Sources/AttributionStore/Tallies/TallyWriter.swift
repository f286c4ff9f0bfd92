import Attribution
import GRDB

/// Writes the tallies of apps.
///
/// An app's day has a part, and a further one when the last has grown large for what is to be added: whoever writes
/// reads and writes little however much an app has, and whoever reads adds up what stands in several.
struct TallyWriter {
    private let find: HotStatement
    private let update: HotStatement
    private let insert: HotStatement

    /// The bytes from which on a part is left as it is: eight pages of the database.
    private static let fullPart = 32_768
    /// The bytes of a part that are worth writing again for each row added to it; a row has some thirty.
    private static let bytesForRow = 256

    init(_ db: Database) throws {
        let arena = HotStatement.Arena()
        find = try HotStatement(
            db,
            sql: """
                SELECT id, part, counts FROM tally
                WHERE traffic = ? AND day = ? AND framework = ? AND ad_network_id = ? AND app_id = ?
                ORDER BY part DESC LIMIT 1
                """, arena)
        update = try HotStatement(db, sql: "UPDATE tally SET counts = ? WHERE id = ?", arena)
        insert = try HotStatement(
            db,
            sql: """
                INSERT INTO tally (traffic, day, framework, ad_network_id, app_id, part, counts)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, arena)
    }

    /// Writes an app's rows into its last part, or into a new one.
    ///
    /// A part that cannot be read is left to the recount, which names it: others shall be recorded all the same.
    ///
    /// - Parameters:
    ///   - count: How many rows they are.
    ///   - app: The app and day.
    ///   - merge: Gives the rows, with those of a part in them unless there is none.
    /// - Throws: What SQLite reports, and what `merge` throws without a part.
    func write(
        _ count: Int,
        of app: TallyApp,
        _ merge: (UnsafeRawBufferPointer?) throws -> TallyRows
    ) throws {
        var last: (id: Int64, rows: TallyRows)?
        var part: Int64 = 0
        try find.fetch(bind: { Self.bind(app, &$0) }) { row in
            let counts = row.blob(2)
            part = row.integer(1) + 1
            if counts.count < min(Self.fullPart, Self.bytesForRow * count), let rows = try? merge(counts) {
                last = (row.integer(0), rows)
            }
        }
        if let last {
            return try update.run { row in
                row.bind(last.rows.bytes)
                row.bind(last.id)
            }
        }
        let rows = try merge(nil)
        try insert.run { row in
            Self.bind(app, &row)
            row.bind(part)
            row.bind(rows.bytes)
        }
    }

    private static func bind(_ app: TallyApp, _ row: inout HotStatement.Parameters) {
        row.bind(app.traffic.rawValue)
        row.bind(app.day)
        row.bind(app.framework)
        row.bind(app.adNetworkID)
        row.bind(app.appID)
    }
}
