/// Counts of recorded postbacks, which can be added.
///
/// An **install** is the first postback of a winner: later windows report the same install again, and a non-winner had
/// none. A **re-engagement** is not an install. Conversion values are counted separately for installs, later windows
/// and re-engagements.
package struct Counts: Hashable, Sendable {
    /// One of the counts.
    package struct Counter: Hashable, Sendable {
        /// Its index in the counts.
        package let index: Int

        /// All postbacks.
        package static let postbacks = Counter(index: 0)
        /// First postbacks of winners; postbacks of versions without `did-win` count as winners.
        package static let installs = Counter(index: 1)
        /// Installs whose `redownload` is true.
        package static let redownloads = Counter(index: 2)
        /// Installs whose `redownload` is false.
        package static let newInstalls = Counter(index: 3)
        /// Installs of 1.0 with `redownload`, which that version does not sign; included in the two counts above.
        package static let unprovenRedownloads = Counter(index: 4)
        /// First postbacks whose `did-win` is true.
        package static let wins = Counter(index: 5)
        /// Postbacks whose `did-win` is false.
        package static let losses = Counter(index: 6)
        /// Postbacks of an install's second window (sequence index 1).
        package static let secondWindow = Counter(index: 7)
        /// Postbacks of an install's third window (sequence index 2).
        package static let thirdWindow = Counter(index: 8)
        /// First postbacks of re-engagements.
        package static let reengagements = Counter(index: 9)
        /// Postbacks of the second and third window of re-engagements.
        package static let laterReengagements = Counter(index: 10)
        /// The number of counters above; each kind below has one counter per conversion.
        private static let singleCount = 11

        /// Installs with this conversion.
        package static func conversion(_ conversion: Conversion) -> Counter {
            Counter(index: singleCount + conversion.index)
        }

        /// Postbacks of an install's second and third window with this conversion.
        package static func laterConversion(_ conversion: Conversion) -> Counter {
            Counter(index: singleCount + Conversion.count + conversion.index)
        }

        /// Re-engagements with this conversion.
        package static func reengagementConversion(_ conversion: Conversion) -> Counter {
            Counter(index: singleCount + 2 * Conversion.count + conversion.index)
        }

        /// The number of counters.
        package static let count = singleCount + 3 * Conversion.count
    }

    /// The counts by ``Counter/index``.
    private var counts = [Int64](repeating: 0, count: Counter.count)

    /// No postbacks.
    package init() {}

    /// The value of a counter.
    package subscript(counter: Counter) -> Int64 {
        counts[counter.index]
    }

    package mutating func add(_ count: Int64, to counter: Counter) {
        counts[counter.index] += count
    }

    /// Counts postbacks with the same traits.
    package mutating func count(_ traits: CountedTraits, times: Int64 = 1) {
        for counter in traits.counters {
            add(times, to: counter)
        }
    }

    /// Adds other counts.
    package static func += (lhs: inout Self, rhs: Self) {
        for index in lhs.counts.indices {
            lhs.counts[index] += rhs.counts[index]
        }
    }
}

extension Counts {
    /// Installs that say whether they are redownloads.
    package var knownRedownloads: Int64 { self[.redownloads] + self[.newInstalls] }

    /// Installs without a conversion value, absent or `null`.
    package var nullConversions: Int64 {
        self[.conversion(.absent)] + self[.conversion(.null)]
    }

    /// Installs with a fine conversion value.
    package var fineConversions: Int64 {
        (UInt8(0)...63).reduce(0) { $0 + self[.conversion(.fine($1))] }
    }

    /// The sum of the fine conversion values of installs.
    package var fineConversionSum: Int64 {
        (UInt8(0)...63).reduce(0) { $0 + Int64($1) * self[.conversion(.fine($1))] }
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
}
