import Attribution

/// A difference between what is stored and what the raw bytes say.
package enum RecountDifference: Hashable, Sendable {
    /// SQLite's check found a problem.
    case structure(String)
    /// A row is missing and cannot be rebuilt.
    case missingRow(Int64, reason: String = "")
    /// Deliveries were counted as recorded, and no postback is left.
    case noPostbacks(counted: Int64)
    /// More postbacks were counted as recorded than there are rows, and than are missing between them; of which traffic,
    /// if that is known.
    case withoutRow(Int64, traffic: String)
    /// Some counts of deliveries are higher than there are rows, and others lower, by this many.
    case countedElsewhere(Int64)
    /// A row is missing, and is rebuilt from its body and from what is stored besides.
    case lostRow(LostRow)
    /// The row of a postback, or its body, has another id, which damage changed; by their digests they are one postback.
    case changedID(Int64, stored: Int64, RecreatableTables)
    /// There is another row, or body, of a postback whose own are whole.
    case copy(Int64, of: Int64, RecreatableTables)
    /// A row or its body cannot be read.
    case unreadable(Int64, reason: String)
    /// The body of a row no longer verifies as it did.
    case unverified(Int64, reason: String)
    /// A row says another quarter of an hour of receipt than its columns, or than the counts of deliveries and the rows
    /// beside it; not certain if the counts have it as the row says.
    case receivedAt(Int64, quarter: Int64, isCertain: Bool)
    /// The name of the key in a row is not that of the key that verifies its body.
    case keyName(Int64, String)
    /// A bit of a body was changed, and the digests of its row tell which.
    case changedBit(Int64, bit: Int)
    /// A row's digests do not match its body.
    case digests(Int64)
    /// Two rows are the same postback.
    case sameKey(Int64, Int64)
    /// A row's facts, from which reports are counted, are not those of its body.
    case facts(Int64)
    /// The text that a code in facts stands for is damaged.
    case value(code: Int64)
    /// A block of columns is missing, damaged, or does not say what the bodies of its postbacks say.
    case block(ClosedRange<Int64>)
    /// Derived tables are missing or damaged.
    case tables(RecreatableTables)
    /// There are columns for postbacks that do not exist.
    case strayColumns
    /// The count of recorded deliveries in a quarter hour does not match the rows.
    case deliveries(quarter: Int64, traffic: String, recipient: String, counted: Int64, rows: Int64)
    /// A count of deliveries cannot be right by itself.
    case implausibleCount(ImplausibleCount)
    /// The quarantine's total of a class does not match its rows.
    case quarantineTotal(String)
    /// A copy for another recipient belongs to a postback that does not exist.
    case copyWithoutRow(Int64)

    /// Whether it can be repaired from other data.
    package var isRepairable: Bool {
        switch self {
        case .structure, .missingRow, .noPostbacks, .withoutRow, .countedElsewhere, .unreadable, .unverified, .sameKey:
            false
        case .receivedAt(_, _, let isCertain): isCertain
        case .implausibleCount(let found): found.isRecorded
        default: true
        }
    }

    /// The reason of ``unverified(_:reason:)`` for bytes that may have been changed: a repair must not believe them.
    package static let changedWithoutKey = "its digests do not match, and the key that verified it was not named"

    /// The reason of ``unverified(_:reason:)`` for bytes against which digest and columns agree.
    package static let changedBody =
        "its bytes were changed where Apple did not sign them: neither its digest nor its columns are of them; a backup "
        + "may have them"

    /// The reason of ``unverified(_:reason:)`` for bytes of another digest than that of their row, in no block that tells.
    package static let changedContent =
        "its digest is not that of its bytes, and nothing tells which of them was changed; a backup may"

    /// The reason of ``unverified(_:reason:)`` for bytes of which neither digest is that of the row.
    package static let foreignBytes =
        "neither of its digests is that of its bytes, which may be another postback's; a backup may have its own"

    /// The reason of ``unverified(_:reason:)`` for bytes that are those of another row.
    package static func bytes(of owner: Int64) -> String {
        "its bytes are those of postback \(owner)"
    }

    /// The reason of ``unverified(_:reason:)`` for a row against which its columns are.
    package static let otherDelivery =
        "its traffic or recipient is not that of its columns; nothing is changed, and a backup may tell which is right"
}

extension RecountDifference: CustomStringConvertible {
    /// What differs.
    package var description: String {
        switch self {
        case .structure(let found): "SQLite's check: \(found)"
        case .missingRow(let id, let reason):
            "postback \(id): its row is missing" + (reason.isEmpty ? "" : ", \(reason)")
        case .noPostbacks(let counted):
            "no postback is left, and \(counted) were counted as recorded; a backup may have them"
        case .withoutRow(let count, let traffic):
            "\(count) \(count == 1 ? "postback" : "postbacks")\(traffic.isEmpty ? "" : " (\(traffic))") "
                + "\(count == 1 ? "was" : "were") counted as recorded, and no rows are left; a backup may have them"
        case .countedElsewhere(let count):
            "\(count) \(count == 1 ? "postback is" : "postbacks are") counted at another time, or as of another traffic or "
                + "recipient, than the rows say; a backup may tell which is right"
        case .lostRow(let row): row.description
        case .changedID(let id, let stored, let tables):
            "postback \(id): \(tables == .postbacks ? "its row has" : "its bytes have") the id \(stored), which damage "
                + "changed; the digests in the row tell, and a repair changes it back"
        case .copy(let id, let other, let tables):
            "postback \(id): its \(tables == .postbacks ? "row is a copy of that" : "bytes are a copy of those") of "
                + "postback \(other), which has its own; a repair deletes the copy, so that it is not counted twice"
        case .unreadable(let id, let reason): "postback \(id): cannot be read: \(reason)"
        case .unverified(let id, let reason): "postback \(id): \(reason)"
        case .receivedAt(let id, _, let isCertain):
            isCertain
                ? "postback \(id): its time was changed; a repair takes the quarter of an hour in which it was counted"
                : "postback \(id): its time is not that of its columns, and deliveries are counted as it says; a backup "
                    + "may tell which is right"
        case .keyName(let id, let name):
            "postback \(id): the name of its key is not that of the key that verifies it, \(name)"
        case .changedBit(let id, _):
            "postback \(id): one bit of its bytes was changed; its digests tell which, and a repair changes it back"
        case .digests(let id): "postback \(id): its digests do not match its bytes"
        case .facts(let id): "postback \(id): its facts, from which reports are counted, do not match its bytes"
        case .value(let code):
            "the text of code \(code) in facts is damaged; postbacks with it are counted from their bytes, and a repair "
                + "takes it from there"
        case .sameKey(let first, let second):
            "postbacks \(first) and \(second) are the same postback; reports count it twice if both have its bytes"
        case .block(let ids):
            "the columns of postbacks \(ids.lowerBound) to \(ids.upperBound) are missing, damaged, or do not match "
                + "the bytes"
        case .tables(.quarantine):
            "the table of the quarantine is missing, and the bodies in it are gone; a repair makes it again, empty, and "
                + "a backup may have them"
        case .tables(.columns): "the tables of columns are missing or damaged"
        case .tables(.quarantineTotals): "the table of the quarantine's totals is missing or damaged"
        case .tables(.deliveryCounts):
            "the tables of counts of deliveries are missing or damaged; a repair counts recorded postbacks anew and keeps "
                + "what can be read of the others"
        case .tables(.recipientCopies):
            "the table of copies for other recipients is missing or damaged; a repair keeps those that can be read, and "
                + "only the report of deliveries lacks the others"
        case .tables(.postbacks):
            "the table of postbacks is missing or damaged; a repair keeps the rows that can be read, or found elsewhere in "
                + "the file, and rebuilds others from their bytes"
        case .tables(.bodies):
            "the table of the postbacks' bytes is missing or damaged; a repair keeps those that can be read, or found "
                + "elsewhere in the file"
        case .strayColumns: "there are columns for postbacks that do not exist"
        case .deliveries(let quarter, let traffic, let recipient, let counted, let rows):
            "deliveries of quarter \(quarter): \(counted) counted as recorded (\(traffic), \(recipient)), "
                + "\(rows) postbacks found"
        case .implausibleCount(let found): found.description
        case .quarantineTotal(let kind): "the quarantine's total of \(kind) does not match its rows"
        case .copyWithoutRow(let id): "a copy for another recipient belongs to postback \(id), which does not exist"
        }
    }
}
