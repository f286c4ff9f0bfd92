import Attribution

/// The tallies of a batch, summed in memory first: many postbacks of a batch share a row.
struct TallyChanges: Sendable {
    private(set) var rows: [TallyKey: Metrics] = [:]

    mutating func count(_ postback: ReceivedPostback, provenance: Provenance, receivedAtMilliseconds: Int64) {
        let traits = CountedTraits(postback)
        for table in TallyTable.allCases {
            let key = TallyKey(
                table: table,
                day: receivedAtMilliseconds.flooredQuotient(by: TallyTable.dayMilliseconds),
                provenance: provenance,
                values: table.dimensions.map { $0.value(of: postback) }
            )
            rows[key, default: Metrics()].count(traits)
        }
    }
}

extension Int64 {
    /// The quotient rounded down, also for times before 1970.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
