import Attribution
import GRDB

/// Adds sums to the tally tables.
struct TallyWriter {
    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Adds each sum to its row, creating the row when there is none.
    func add(_ sums: [TallyKey: Metrics]) throws {
        for (table, upsert) in Self.upserts {
            let statement = try HotStatement(db, sql: upsert)
            for (key, metrics) in sums where key.table == table {
                try statement.run(
                    [.integer(key.day), .text(key.provenance.rawValue)] + key.values.map { .text($0) }
                        + metrics.counts.map { .integer($0) })
            }
        }
    }

    /// Removes every row of every tally table.
    func clear() throws {
        for table in TallyTable.allCases {
            try db.execute(sql: "DELETE FROM \(table.rawValue)")
        }
    }

    private static let upserts: [TallyTable: String] = Dictionary(
        uniqueKeysWithValues: TallyTable.allCases.map { table in
            let key = ["day", "provenance"] + table.dimensions.map(\.column)
            let counters = Metrics.counters.map(\.column)
            let places = (key + counters).map { _ in "?" }.joined(separator: ", ")
            let sums = counters.map { "\($0) = \($0) + excluded.\($0)" }.joined(separator: ", ")
            return (
                table,
                """
                INSERT INTO \(table.rawValue) (\((key + counters).joined(separator: ", "))) VALUES (\(places))
                ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(sums)
                """
            )
        })
}
