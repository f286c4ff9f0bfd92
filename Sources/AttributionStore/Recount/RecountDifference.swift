import Attribution

/// One way in which a store is not what its raw bytes say.
package enum RecountDifference: Hashable, Sendable {
    /// The database's own check found something.
    case structure(String)
    /// A row is missing.
    case missingRow(Int64)
    /// A row or its body cannot be read, or is no postback.
    case unreadable(Int64, reason: String)
    /// The signature of a row's body does not verify as it did.
    case unverified(Int64, reason: String)
    /// A row's digests are not those of its body.
    case digests(Int64)
    /// Two rows are the same postback.
    case sameKey(Int64, Int64)
    /// A row's facts, from which reports are counted, are not those of its body.
    case facts(Int64)
    /// A block of columns is missing, damaged, or does not say what the bodies of its postbacks say.
    case block(Int64)
    /// Tables that follow from others are missing, or damaged.
    case tables(DerivedTables)
    /// Columns belong to postbacks that are not there.
    case strayColumns
    /// The deliveries counted as recorded in a quarter of an hour are not the rows there.
    case deliveries(quarter: Int64, traffic: String, recipient: String, counted: Int64, rows: Int64)
    /// The quarantine's total of a class is not what is there.
    case quarantineTotal(String)
    /// Another recipient's copy belongs to no row.
    case copyWithoutRow(Int64)

    /// Whether it follows from what is there, and so can be made right.
    package var isRepairable: Bool {
        switch self {
        case .structure, .missingRow, .unreadable, .unverified, .sameKey: false
        default: true
        }
    }
}

extension RecountDifference: CustomStringConvertible {
    /// What differs.
    package var description: String {
        switch self {
        case .structure(let found): "the database's own check: \(found)"
        case .missingRow(let id): "postback \(id): its row is missing"
        case .unreadable(let id, let reason): "postback \(id): cannot be read: \(reason)"
        case .unverified(let id, let reason): "postback \(id): \(reason)"
        case .digests(let id): "postback \(id): its digests are not those of its bytes"
        case .facts(let id): "postback \(id): what reports count of it is not what its bytes say"
        case .sameKey(let first, let second): "postbacks \(first) and \(second) are the same postback"
        case .block(let number):
            "the columns of postbacks \(ColumnBlock.ids(number).lowerBound) to \(ColumnBlock.ids(number).upperBound) "
                + "are missing, damaged, or not what the bytes say"
        case .tables(.columns): "the tables of columns are missing, or cannot be read everywhere"
        case .tables(.quarantineTotals): "the table of the quarantine's totals is missing, or cannot be read"
        case .strayColumns: "there are columns of postbacks that are not there"
        case .deliveries(let quarter, let traffic, let recipient, let counted, let rows):
            "deliveries of quarter \(quarter): \(counted) counted as recorded (\(traffic), \(recipient)), "
                + "\(rows) postbacks there"
        case .quarantineTotal(let kind): "the quarantine's total of \(kind) is not what is there"
        case .copyWithoutRow(let id): "a copy for another recipient belongs to postback \(id), which is not there"
        }
    }
}
