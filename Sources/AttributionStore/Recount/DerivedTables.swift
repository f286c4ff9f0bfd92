/// Tables whose contents can be derived from others, and that are recreated if their pages are damaged.
package enum DerivedTables: Hashable, CaseIterable, Sendable {
    /// The columns that reports are counted from.
    case columns
    /// The totals of each class in the quarantine.
    case quarantineTotals
    /// The counts of deliveries: those of recorded postbacks follow from the rows, others are kept as far as they can be
    /// read.
    case deliveryCounts
}
