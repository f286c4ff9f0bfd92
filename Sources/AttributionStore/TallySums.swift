import Attribution

/// Sums for one tally table, kept in memory until they are worth writing: many postbacks share a row.
struct TallySums: Sendable {
    let table: TallyTable
    private(set) var rows: [TallyKey: Metrics] = [:]
    /// How many postbacks were summed.
    private(set) var count: Int64 = 0

    init(_ table: TallyTable) {
        self.table = table
    }

    /// Counts a postback by its traits and the values of its stored dimensions.
    mutating func count(_ traits: CountedTraits, _ values: [String], day: Int64, _ provenance: Provenance) {
        count += 1
        let key = TallyKey(day: day, provenance: provenance, values: table.places.map { values[$0] })
        rows[key, default: Metrics()].count(traits)
    }

    /// Forgets everything.
    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        count = 0
    }
}
