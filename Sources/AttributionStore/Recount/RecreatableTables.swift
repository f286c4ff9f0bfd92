/// Tables that are recreated if their pages are damaged, with what can be derived from others, read, or found elsewhere
/// in the file.
package enum RecreatableTables: Hashable, CaseIterable, Sendable {
    /// The bodies that were not counted: nothing else has them, so a table that was deleted is made again empty, and a
    /// damaged one stays, with what can be read of it.
    case quarantine
    /// The columns that reports are counted from.
    case columns
    /// The totals of each class in the quarantine.
    case quarantineTotals
    /// The counts of deliveries: those of recorded postbacks follow from the rows, others are kept as far as they can be
    /// read.
    case deliveryCounts
    /// The copies for other recipients, which only the report of deliveries counts: kept as far as they can be read.
    case recipientCopies
    /// The rows of postbacks without their bytes: kept as far as they can be read, and found or rebuilt otherwise.
    case postbacks
    /// The bytes of postbacks: kept as far as they can be read, and found elsewhere in the file as far as they can be.
    case bodies

    /// Whether they hold what was recorded: a row for each postback, of which a repair looks for what is missing.
    package var areRecorded: Bool {
        self == .postbacks || self == .bodies
    }

    /// Whether an owner makes those that are missing at its start; the others only a repair, which says what is lost.
    package var areMadeByOwner: Bool {
        switch self {
        case .columns, .quarantineTotals, .deliveryCounts, .recipientCopies: true
        case .quarantine, .postbacks, .bodies: false
        }
    }
}
