package import Attribution
import AttributionStore

/// What became of the records of a file.
package struct ImportTally: Sendable {
    /// Postbacks that count now.
    package private(set) var recorded = 0
    /// Repeats of postbacks that were counted.
    package private(set) var duplicate = 0
    /// Copies that contradict a counted postback.
    package private(set) var conflict = 0
    /// What is no genuine postback, by reason.
    package private(set) var quarantined: [PostbackRejection.Code: Int] = [:]
    /// Deliveries that are in the store already.
    package private(set) var known = 0
    /// Records that an earlier import read, and could use; what became of them it said.
    package internal(set) var readBefore = 0
    /// Requests without a body.
    package internal(set) var withoutBody = 0
    /// Records that could not be used.
    package private(set) var unreadable = 0
    /// Bodies that were not kept, and are nowhere but in their file.
    package private(set) var notKept = 0
    /// The first records that could not be used or kept, and why.
    package private(set) var problems: [(number: Int, reason: String)] = []

    /// How many problems are named one by one.
    package static let problemsListed = 20

    /// Nothing was read.
    package init() {}

    /// All records.
    package var total: Int {
        recorded + duplicate + conflict + quarantined.values.reduce(0, +) + known + withoutBody + unreadable + notKept
            + readBefore
    }

    /// Whether everything was used.
    package var isWhole: Bool {
        unreadable == 0 && notKept == 0
    }

    mutating func count(_ imported: ImportedDelivery, number: Int) {
        switch imported {
        case .made(.recorded): recorded += 1
        case .made(.duplicate): duplicate += 1
        case .made(.conflict(_, isKept: true)): conflict += 1
        case .made(.quarantined(let rejection, isKept: true)): quarantined[rejection.code, default: 0] += 1
        case .made(.conflict(_, isKept: false)):
            countNotKept("it contradicts a postback", number)
        case .made(.quarantined(let rejection, isKept: false)):
            countNotKept(rejection.code.rawValue, number)
        case .known: known += 1
        case .notKept:
            countNotKept("it may be a postback of a later version", number)
        }
    }

    private mutating func countNotKept(_ reason: String, _ number: Int) {
        notKept += 1
        note(reason + ", and could not be kept: the quarantine is full", number)
    }

    mutating func countUnreadable(_ reason: String, number: Int) {
        unreadable += 1
        note(reason, number)
    }

    private mutating func note(_ reason: String, _ number: Int) {
        if problems.count < Self.problemsListed {
            problems.append((number, reason))
        }
    }

    /// Adds another file's.
    package static func += (lhs: inout Self, rhs: Self) {
        lhs.recorded += rhs.recorded
        lhs.duplicate += rhs.duplicate
        lhs.conflict += rhs.conflict
        lhs.quarantined.merge(rhs.quarantined, uniquingKeysWith: +)
        lhs.known += rhs.known
        lhs.readBefore += rhs.readBefore
        lhs.withoutBody += rhs.withoutBody
        lhs.unreadable += rhs.unreadable
        lhs.notKept += rhs.notKept
    }
}

extension ImportTally: CustomStringConvertible {
    /// For example `10 read: recorded 7, duplicate 1, conflict 0, quarantined 1 (malformed 1), already in the store 1, …`.
    package var description: String {
        let reasons = PostbackRejection.Code.allCases.compactMap { code in
            quarantined[code].map { "\(code.rawValue) \($0)" }
        }
        let parts = [
            "recorded \(recorded)", "duplicate \(duplicate)", "conflict \(conflict)",
            "quarantined \(quarantined.values.reduce(0, +))"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"),
            "already in the store \(known)", "without a body \(withoutBody)", "unreadable \(unreadable)",
        ]
        let others = [("not kept", notKept), ("read before", readBefore)].filter { $0.1 > 0 }.map { "\($0) \($1)" }
        return "\(total) read: " + (parts + others).joined(separator: ", ")
    }
}
