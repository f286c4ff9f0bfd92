import Attribution

/// Sums for the tally tables, kept in memory until they are worth writing: many postbacks share a row.
struct TallySums: Sendable {
    private(set) var rows: [TallyKey: Metrics] = [:]

    /// Counts a postback in every table.
    mutating func count(_ postback: ReceivedPostback, provenance: Provenance, receivedAtMilliseconds: Int64) {
        let traits = CountedTraits(postback)
        let day = receivedAtMilliseconds.flooredQuotient(by: TallyTable.dayMilliseconds)
        for table in TallyTable.allCases {
            let values = table.dimensions.map { $0.value(of: postback) }
            rows[TallyKey(table: table, day: day, provenance: provenance, values: values), default: Metrics()]
                .count(traits)
        }
    }

    /// Adds other sums.
    mutating func add(_ other: TallySums) {
        rows.merge(other.rows) { sum, more in
            var sum = sum
            sum += more
            return sum
        }
    }
}
