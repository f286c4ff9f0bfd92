/// Counts of recorded postbacks; they add up, so a sum of counts is the counts of the sum.
///
/// An **install** is the first postback of a winner: later windows speak of the same install again, and a non-winner
/// had none. A **re-engagement** is no install. Conversion values are counted for installs; those of later windows and
/// of re-engagements apart.
package struct Counts: Hashable, Sendable {
    /// The single counts, in the order in which stores and outputs list them.
    package enum Counter: Hashable, Sendable {
        /// Postbacks of every kind.
        case postbacks
        /// First postbacks of winners; postbacks of versions without `did-win` count as winners.
        case installs
        /// Installs that say `redownload` is true.
        case redownloads
        /// Installs that say `redownload` is false.
        case newInstalls
        /// Installs of 1.0 that say `redownload`, which that version does not sign: part of the two counts above.
        case unprovenRedownloads
        /// First postbacks that say `did-win` is true.
        case wins
        /// Postbacks that say `did-win` is false.
        case losses
        /// Postbacks of an install's second window (sequence index 1).
        case secondWindow
        /// Postbacks of an install's third window (sequence index 2).
        case thirdWindow
        /// First postbacks of re-engagements.
        case reengagements
        /// Postbacks of the second and third window of re-engagements.
        case laterReengagements
        /// Installs with this conversion.
        case conversion(Conversion)
        /// Postbacks of an install's second and third window with this conversion.
        case laterConversion(Conversion)
        /// Re-engagements with this conversion.
        case reengagementConversion(Conversion)
    }

    /// Every counter once.
    package static let counters: [Counter] =
        [
            .postbacks, .installs, .redownloads, .newInstalls, .unprovenRedownloads, .wins, .losses, .secondWindow,
            .thirdWindow, .reengagements, .laterReengagements,
        ]
        + Conversion.coarseCases.map(Counter.laterConversion) + Conversion.allCases.map(Counter.conversion)
        + Conversion.allCases.map(Counter.reengagementConversion)

    /// The counts in the order of ``counters``.
    package private(set) var counts: [Int64]

    /// No postbacks.
    package init() {
        counts = Array(repeating: 0, count: Self.counters.count)
    }

    /// Counts from counts in the order of ``counters``, as a store keeps them; nil for another number of them.
    package init?(counts: [Int64]) {
        guard counts.count == Self.counters.count else {
            return nil
        }
        self.counts = counts
    }

    /// The value of one counter; 0 for a conversion that cannot be, such as a fine value in a later window.
    package subscript(counter: Counter) -> Int64 {
        counter.place.map { counts[$0] } ?? 0
    }

    /// Counts postbacks with the same traits.
    package mutating func count(_ traits: CountedTraits, times: Int64 = 1) {
        func add(_ counter: Counter) {
            if let place = counter.place {
                counts[place] += times
            }
        }
        add(.postbacks)
        if traits.didWin == false {
            add(.losses)
            return
        }
        let isFirst = (traits.sequenceIndex ?? 0) == 0
        if traits.isReengagement {
            add(isFirst ? .reengagements : .laterReengagements)
            if isFirst {
                add(.reengagementConversion(traits.conversion))
            }
            return
        }
        switch traits.sequenceIndex {
        case nil, 0:
            add(.installs)
            if traits.didWin == true {
                add(.wins)
            }
            if let isRedownload = traits.isRedownload {
                add(isRedownload ? .redownloads : .newInstalls)
                if !traits.isRedownloadProven {
                    add(.unprovenRedownloads)
                }
            }
            add(.conversion(traits.conversion))
        case 1:
            add(.secondWindow)
            add(.laterConversion(traits.conversion))
        default:
            add(.thirdWindow)
            add(.laterConversion(traits.conversion))
        }
    }

    /// Sets every count to 0 and keeps the memory.
    package mutating func removeAll() {
        for place in counts.indices {
            counts[place] = 0
        }
    }

    /// Adds to one count.
    ///
    /// - Parameters:
    ///   - count: How much.
    ///   - place: The counter's place among ``counters``.
    package mutating func add(_ count: Int64, at place: Int) {
        counts[place] += count
    }

    /// Adds other counts.
    package static func += (lhs: inout Self, rhs: Self) {
        for place in lhs.counts.indices {
            lhs.counts[place] += rhs.counts[place]
        }
    }
}

extension Counts.Counter {
    /// Its place among ``Counts/counters``; nil for a conversion that cannot be.
    ///
    /// Computed, for every postback counted asks for a handful.
    fileprivate var place: Int? {
        let later = 11
        let first = later + Conversion.coarseCount
        let reengagement = first + Conversion.count
        return switch self {
        case .postbacks: 0
        case .installs: 1
        case .redownloads: 2
        case .newInstalls: 3
        case .unprovenRedownloads: 4
        case .wins: 5
        case .losses: 6
        case .secondWindow: 7
        case .thirdWindow: 8
        case .reengagements: 9
        case .laterReengagements: 10
        case .laterConversion(.fine): nil
        case .laterConversion(let conversion): later + conversion.place
        case .conversion(let conversion): first + conversion.place
        case .reengagementConversion(let conversion): reengagement + conversion.place
        }
    }
}

extension Conversion {
    /// How many conversions there are beside fine values, and with them.
    fileprivate static let coarseCount = coarseCases.count
    fileprivate static let count = coarseCount + fineRange.count

    /// Its place in ``allCases``.
    fileprivate var place: Int {
        switch self {
        case .absent: 0
        case .null: 1
        case .invalid: 2
        case .coarse(.low): 3
        case .coarse(.medium): 4
        case .coarse(.high): 5
        case .fine(let value): 6 + Int(value)
        }
    }
}
