/// Tables that are recreated if their pages are damaged: their contents can be derived from others, or are needed by
/// nothing else.
package enum DerivedTables: Hashable, CaseIterable, Sendable {
    /// The columns that reports are counted from.
    case columns
    /// The totals of each class in the quarantine.
    case quarantineTotals
    /// The counts of deliveries: those of recorded postbacks follow from the rows, others are kept as far as they can be
    /// read.
    case deliveryCounts
    /// The copies for other recipients, which only the report of deliveries counts: kept as far as they can be read.
    case recipientCopies
    /// The rows of postbacks without their bytes: kept as far as they can be read, and rebuilt as far as they can be.
    case postbacks
    /// The bytes of postbacks: kept as far as they can be read, and found elsewhere in the file as far as they can be.
    case bodies

    /// Whether something may be lost with them that a repair alone looks for.
    package var areRecorded: Bool {
        self == .postbacks || self == .bodies
    }
}
