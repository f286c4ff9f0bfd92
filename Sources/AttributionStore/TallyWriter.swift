import Attribution
import Foundation
import GRDB

/// Writes the tallies of one family.
///
/// An app's day has a part, and a further one when the last has grown large: whoever writes reads and writes one part
/// however much an app has, and whoever reads adds up what stands in several.
struct TallyWriter {
    private let family: TallyFamily
    private let find: Statement
    private let update: Statement
    private let insert: Statement

    /// The bytes from which on a part is left as it is: eight pages of the database.
    static let fullPart = 32_768

    init(_ db: Database, _ family: TallyFamily) throws {
        self.family = family
        find = try db.cachedStatement(
            sql: """
                SELECT id, part, counts FROM tally
                WHERE family = ? AND provenance = ? AND day = ? AND framework = ? AND ad_network_id = ? AND app_id = ?
                ORDER BY part DESC LIMIT 1
                """)
        update = try db.cachedStatement(sql: "UPDATE tally SET counts = ? WHERE id = ?")
        insert = try db.cachedStatement(
            sql: """
                INSERT INTO tally (family, provenance, day, framework, ad_network_id, app_id, part, counts)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
    }

    /// Writes an app's rows into its last part, or into a new one.
    ///
    /// - Parameters:
    ///   - app: The app and day.
    ///   - merge: Gives the rows with those of the last part in them; without one when there is none, or it is full.
    /// - Throws: What SQLite reports, and what `merge` throws.
    func write(_ app: TallyApp, _ merge: (UnsafeRawBufferPointer?) throws -> TallyRows) throws {
        let key: [any DatabaseValueConvertible] = [
            family.rawValue, app.provenance.rawValue, app.day, app.framework, app.adNetworkID, app.appID,
        ]
        let last = try Row.fetchOne(find, arguments: StatementArguments(key))
        let merged = try last?.withUnsafeData(atIndex: 2) { data in
            guard let data, data.count < Self.fullPart else {
                return nil as TallyRows?
            }
            return try data.withUnsafeBytes { try merge($0) }
        }
        if let last, let merged {
            try update.execute(arguments: [Data(merged.bytes), last[0] as Int64])
        } else {
            let part = last.map { $0[1] + 1 } ?? 0 as Int64
            try insert.execute(arguments: StatementArguments(key) + [part, Data(try merge(nil).bytes)])
        }
    }
}
