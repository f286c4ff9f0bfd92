/// A difference between what is stored and what the raw bytes say.
package enum RecountDifference: Hashable, Sendable {
    /// Rows are missing between or after others.
    case missingRows(ClosedRange<Int64>)
    /// A body is missing.
    case unreadable(Int64, reason: String)
    /// The body of a row no longer verifies as it did.
    case unverified(Int64, reason: String)
    /// Two rows are the same postback.
    case sameKey(Int64, Int64)
    /// An index does not match its table, by SQLite's check.
    case index(String)
    /// The name of the key in a row is not that of the key that verifies its body.
    case keyName(Int64, String)
    /// A row's digests do not match its body.
    case digests(Int64)
    /// A row's facts, from which reports are counted, are not those of its body.
    case facts(Int64)
    /// A block of columns is missing, damaged, or does not say what the bodies of its postbacks say.
    case block(ClosedRange<Int64>)
    /// There are columns for postbacks that do not exist.
    case strayColumns
    /// The count of recorded deliveries in a quarter hour does not match the rows.
    case deliveries(quarter: Int64, traffic: String, recipient: String, counted: Int64, rows: Int64)
    /// The quarantine's total of a class does not match its rows.
    case quarantineTotal(String)
    /// A copy for another recipient belongs to a postback that does not exist.
    case copyWithoutRow(Int64)

    /// Whether it can be repaired from the raw bytes.
    package var isRepairable: Bool {
        switch self {
        case .missingRows, .unreadable, .unverified, .sameKey: false
        default: true
        }
    }

    /// How many differences it is.
    var count: Int64 {
        if case .missingRows(let ids) = self { Int64(ids.count) } else { 1 }
    }
}

extension RecountDifference: CustomStringConvertible {
    /// What differs.
    package var description: String {
        switch self {
        case .missingRows(let ids) where ids.count == 1: "postback \(ids.lowerBound): its row is missing"
        case .missingRows(let ids): "postbacks \(ids.lowerBound) to \(ids.upperBound): their rows are missing"
        case .unreadable(let id, let reason): "postback \(id): cannot be read: \(reason)"
        case .unverified(let id, let reason): "postback \(id): \(reason)"
        case .sameKey(let first, let second):
            "postbacks \(first) and \(second) are the same postback; reports count it twice if both have its bytes"
        case .index(let problem): "SQLite's check: \(problem)"
        case .keyName(let id, let name):
            "postback \(id): the name of its key is not that of the key that verifies it, \(name)"
        case .digests(let id): "postback \(id): its digests do not match its bytes"
        case .facts(let id): "postback \(id): its facts, from which reports are counted, do not match its bytes"
        case .block(let ids):
            "the columns of postbacks \(ids.lowerBound) to \(ids.upperBound) are missing, damaged, or do not match "
                + "the bytes"
        case .strayColumns: "there are columns for postbacks that do not exist"
        case .deliveries(let quarter, let traffic, let recipient, let counted, let rows):
            "deliveries of quarter \(quarter): \(counted) counted as recorded (\(traffic), \(recipient)), "
                + "\(rows) postbacks found"
        case .quarantineTotal(let kind): "the quarantine's total of \(kind) does not match its rows"
        case .copyWithoutRow(let id): "a copy for another recipient belongs to postback \(id), which does not exist"
        }
    }
}
