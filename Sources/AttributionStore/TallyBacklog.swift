import Attribution

/// What the tally tables lack: the sums of the postbacks behind each table's mark.
struct TallyBacklog: Sendable {
    var sums = TallyTable.allCases.map { TallySums($0) }

    /// Counts a postback in every table that lacks it.
    ///
    /// - Parameters:
    ///   - postback: The postback.
    ///   - provenance: Whose key verified it.
    ///   - receivedAtMilliseconds: When it was received.
    ///   - isLacking: Whether a table lacks it.
    mutating func count(
        _ postback: ReceivedPostback,
        provenance: Provenance,
        receivedAtMilliseconds: Int64,
        in isLacking: (TallyTable) -> Bool = { _ in true }
    ) {
        count(
            CountedTraits(postback), ReportDimension.storedValues(of: postback), provenance: provenance,
            receivedAtMilliseconds: receivedAtMilliseconds, in: isLacking)
    }

    /// Counts a postback by its traits and the values of its stored dimensions.
    mutating func count(
        _ traits: CountedTraits,
        _ values: [String],
        provenance: Provenance,
        receivedAtMilliseconds: Int64,
        in isLacking: (TallyTable) -> Bool = { _ in true }
    ) {
        let day = receivedAtMilliseconds.flooredQuotient(by: TallyTable.dayMilliseconds)
        let hashes = values.map(TallyKey.hash)
        for place in sums.indices where isLacking(sums[place].table) {
            sums[place].count(traits, values, hashes, day: day, provenance)
        }
    }
}
