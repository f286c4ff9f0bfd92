import Attribution

/// Counts of deliveries whose transaction was committed without them.
struct UnwrittenCounts {
    /// By quarter of an hour.
    private var sums: [Int64: DeliveryCounts] = [:]

    /// Takes counts by quarter of an hour.
    init(_ sums: [Int64: DeliveryCounts] = [:]) {
        self.sums = sums
    }

    var isEmpty: Bool {
        sums.isEmpty
    }

    /// Adds others.
    static func += (lhs: inout Self, rhs: Self) {
        for (quarter, counts) in rhs.sums {
            for (kind, tally) in counts.tallies {
                lhs.sums[quarter, default: DeliveryCounts()].add(kind, count: tally.count, kept: tally.kept)
            }
            for (delay, count) in counts.repeats {
                lhs.sums[quarter, default: DeliveryCounts()].add(delay, count: count)
            }
        }
    }

    /// Each count by itself, for each may be on a damaged page.
    var singles: [[Int64: DeliveryCounts]] {
        sums.flatMap { quarter, counts in
            counts.tallies.map { kind, tally in
                var single = DeliveryCounts()
                single.add(kind, count: tally.count, kept: tally.kept)
                return [quarter: single]
            }
                + counts.repeats.map { delay, count in
                    var single = DeliveryCounts()
                    single.add(delay, count: count)
                    return [quarter: single]
                }
        }
    }
}
