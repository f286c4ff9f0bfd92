package import Attribution
import AttributionStore

/// What became of the records of a file.
package struct ImportTally: Sendable {
    /// What became of a record.
    package enum Outcome: Hashable, Sendable {
        /// A postback that counts now, a repeat of one that was counted, or a copy that contradicts one.
        case recorded, duplicate, conflict
        /// What is no genuine postback, by reason.
        case quarantined(PostbackRejection.Code)
        /// A delivery that is in the store already.
        case known
        /// An earlier import read it, could use it, and said what became of it.
        case readBefore
        /// A request without a body.
        case withoutBody
        /// It could not be used.
        case unreadable
        /// Its body was not kept, and is nowhere but in its file.
        case notKept
    }

    private var counts: [Outcome: Int] = [:]
    /// The first records that could not be used or kept, and why.
    package private(set) var problems: [ImportProblem] = []

    /// Deliveries of CSV of which the signature decided how the cells are read.
    package internal(set) var proven = 0

    /// How many problems are named one by one.
    package static let problemsListed = 20

    /// Nothing was read.
    package init() {}

    /// How many records had an outcome.
    package subscript(outcome: Outcome) -> Int {
        counts[outcome, default: 0]
    }

    package var total: Int {
        counts.values.reduce(0, +)
    }

    /// What is no genuine postback.
    package var quarantined: Int {
        PostbackRejection.Code.allCases.reduce(0) { $0 + self[.quarantined($1)] }
    }

    /// Whether everything was used.
    package var isWhole: Bool {
        self[.unreadable] == 0 && self[.notKept] == 0
    }

    mutating func count(_ outcome: Outcome, _ count: Int = 1) {
        counts[outcome, default: 0] += count
    }

    mutating func count(_ outcome: Outcome, _ problem: ImportProblem) {
        count(outcome)
        if problems.count < Self.problemsListed {
            problems.append(problem)
        }
    }

    mutating func count(_ imported: ImportedDelivery, number: Int) {
        func notKept(_ what: String) {
            let reason = what + ", and could not be kept: the quarantine is full"
            count(.notKept, ImportProblem(number: number, reason: reason))
        }
        switch imported {
        case .made(.recorded): count(.recorded)
        case .made(.duplicate): count(.duplicate)
        case .made(.conflict(_, isKept: true)): count(.conflict)
        case .made(.quarantined(let rejection, isKept: true)): count(.quarantined(rejection.code))
        case .made(.conflict(_, isKept: false)): notKept("it contradicts a postback")
        case .made(.quarantined(let rejection, isKept: false)): notKept(rejection.code.rawValue)
        case .known: count(.known)
        case .notKept: notKept("it may be a postback of a later version")
        }
    }

    /// Adds another file's.
    package static func += (lhs: inout Self, rhs: Self) {
        lhs.counts.merge(rhs.counts, uniquingKeysWith: +)
        lhs.proven += rhs.proven
    }
}

extension ImportTally: CustomStringConvertible {
    /// For example `10 read: recorded 7, duplicate 1, conflict 0, quarantined 1 (malformed 1), already in the store 1, …`.
    package var description: String {
        let reasons = PostbackRejection.Code.allCases.compactMap { code in
            self[.quarantined(code)] > 0 ? "\(code.rawValue) \(self[.quarantined(code)])" : nil
        }
        let parts = [
            "recorded \(self[.recorded])", "duplicate \(self[.duplicate])", "conflict \(self[.conflict])",
            "quarantined \(quarantined)"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"),
            "already in the store \(self[.known])", "without a body \(self[.withoutBody])",
            "unreadable \(self[.unreadable])",
        ]
        let others = [("not kept", self[.notKept]), ("read before", self[.readBefore])]
            .filter { $0.1 > 0 }.map { "\($0) \($1)" }
        return "\(total) read: " + (parts + others).joined(separator: ", ")
            + (proven > 0 ? "; of \(proven) the signature decided how their cells are read" : "")
    }
}
