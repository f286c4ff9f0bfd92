extension Counts {
    /// Installs that say whether they are redownloads.
    package var knownRedownloads: Int64 {
        self[.redownloads] + self[.newInstalls]
    }

    /// Redownloads per install whose kind is known, or nil if there is none.
    package var redownloadRate: Double? {
        Self.rate(self[.redownloads], of: knownRedownloads)
    }

    /// The share of losses in wins and losses, or nil if there are none.
    package var lossRate: Double? {
        Self.rate(self[.losses], of: self[.losses] + self[.wins])
    }

    /// Installs without a conversion value, absent or `null`.
    package var nullConversions: Int64 {
        self[.conversion(.absent)] + self[.conversion(.null)]
    }

    /// The share of installs without a conversion value, or nil if there are no installs.
    package var nullRate: Double? {
        Self.rate(nullConversions, of: self[.installs])
    }

    /// Installs with a fine conversion value.
    package var fineConversions: Int64 {
        (UInt8(0)...63).reduce(0) { $0 + self[.conversion(.fine($1))] }
    }

    /// The sum of the fine conversion values of installs.
    package var fineConversionSum: Int64 {
        (UInt8(0)...63).reduce(0) { $0 + Int64($1) * self[.conversion(.fine($1))] }
    }

    /// The mean of the fine conversion values of installs, or nil if there are none.
    package var meanFineConversion: Double? {
        Self.rate(fineConversionSum, of: fineConversions)
    }

    /// The fine conversion values of installs with their counts, ascending, without zero counts.
    package var fineHistogram: [(value: UInt8, count: Int64)] {
        histogram(Counter.conversion)
    }

    /// Re-engagements without a conversion value, absent or `null`.
    package var nullReengagements: Int64 {
        self[.reengagementConversion(.absent)] + self[.reengagementConversion(.null)]
    }

    /// The fine conversion values of re-engagements with their counts, ascending, without zero counts.
    package var reengagementHistogram: [(value: UInt8, count: Int64)] {
        histogram(Counter.reengagementConversion)
    }

    private func histogram(_ counter: (Conversion) -> Counter) -> [(value: UInt8, count: Int64)] {
        (UInt8(0)...63).compactMap { value in
            let count = self[counter(.fine(value))]
            return count == 0 ? nil : (value, count)
        }
    }

    private static func rate(_ part: Int64, of whole: Int64) -> Double? {
        whole == 0 ? nil : Double(part) / Double(whole)
    }
}
