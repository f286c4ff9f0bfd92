import Attribution
import GRDB

/// Adds sums to one tally table.
struct TallyWriter {
    private let table: TallyTable
    private let read: HotStatement
    private let write: HotStatement

    init(_ db: Database, _ table: TallyTable) throws {
        self.table = table
        let key = ["day", "provenance"] + table.dimensions.map(\.column)
        let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
        read = try HotStatement(db, sql: "SELECT counts FROM \(table.rawValue) WHERE \(condition)")
        let places = (key + ["counts"]).map { _ in "?" }.joined(separator: ", ")
        write = try HotStatement(
            db,
            sql: "REPLACE INTO \(table.rawValue) (\((key + ["counts"]).joined(separator: ", "))) VALUES (\(places))")
    }

    /// Adds each sum to its row, creating the row when there is none.
    ///
    /// - Parameter sums: The sums; afterwards what the rows hold, for that costs no copy.
    /// - Throws: What SQLite reports.
    func add(_ sums: inout [TallyKey: Metrics]) throws {
        for place in sums.indices {
            let key = sums.keys[place]
            try read.fetchBlob(bind: { Self.bind(key, &$0) }) { try sums.values[place].add(encoded: $0) }
            let encoded = sums.values[place].encoded
            try write.run { row in
                Self.bind(key, &row)
                row.bind(encoded)
            }
        }
    }

    private static func bind(_ key: TallyKey, _ row: inout HotStatement.Parameters) {
        row.bind(key.day)
        row.bind(key.provenance.rawValue)
        key.values.forEach { row.bind($0) }
    }
}
