import AttributionSigning

/// The number of verdicts of each kind.
struct VerdictTally: Sendable, CustomStringConvertible {
    private var counts: [VerdictWord: Int] = [:]

    /// All verdicts.
    var total: Int {
        counts.values.reduce(0, +)
    }

    mutating func count(_ verdict: Verdict) {
        counts[verdict.word, default: 0] += 1
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.counts.merge(rhs.counts, uniquingKeysWith: +)
    }

    /// The exit status of the run; nil when all are valid.
    var exitStatus: ExitStatus? {
        if counts[.undecided] != nil {
            .undecided
        } else {
            counts.keys.allSatisfy { $0 == .valid } ? nil : .negative
        }
    }

    /// For example `29 checked: 4 valid, 12 malformed, 13 invalid`.
    var description: String {
        let parts = VerdictWord.allCases.compactMap { word in counts[word].map { "\($0) \(word.rawValue)" } }
        return "\(total) checked: " + parts.joined(separator: ", ")
    }
}
