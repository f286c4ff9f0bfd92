import Attribution

/// Sums for one tally table, kept in memory until they are worth writing: many postbacks share a row.
struct TallySums: Sendable {
    let table: TallyTable
    /// The places of its dimensions among all that are stored.
    private let places: [Int]
    var rows: [TallyKey: Metrics] = [:]
    /// How many postbacks were summed.
    private(set) var count: Int64 = 0

    init(_ table: TallyTable) {
        self.table = table
        places = table.dimensions.compactMap { ReportDimension.stored.firstIndex(of: $0) }
    }

    /// Counts a postback by its traits and the values of its stored dimensions, with their hashes.
    mutating func count(
        _ traits: CountedTraits,
        _ values: [String],
        _ hashes: [UInt64],
        day: Int64,
        _ provenance: Provenance
    ) {
        count += 1
        let key = TallyKey(
            day: day, provenance: provenance, values: places.map { values[$0] },
            hashes: places.lazy.map { hashes[$0] })
        rows[key, default: Metrics()].count(traits)
    }

    /// Forgets everything.
    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        count = 0
    }
}
