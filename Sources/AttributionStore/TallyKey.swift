import Attribution

/// The key of one row of a tally table.
struct TallyKey: Hashable, Sendable {
    /// Days since 1970-01-01 UTC.
    let day: Int64
    let provenance: Provenance
    /// The values in the order of the table's dimensions.
    let values: [String]
}
