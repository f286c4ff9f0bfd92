package import Attribution

/// The counts of deliveries by quarter of an hour, as a store keeps them.
package struct DeliveryTable: Hashable, Sendable {
    /// One row of counts.
    package struct Row: Hashable, Sendable {
        /// Of an hour since 1970-01-01 UTC.
        package let quarter: Int64
        /// The kind of delivery.
        package let kind: DeliveryCounts.Kind

        /// Names a row.
        package init(quarter: Int64, kind: DeliveryCounts.Kind) {
            self.quarter = quarter
            self.kind = kind
        }
    }

    /// One row of repeats.
    package struct RepeatRow: Hashable, Sendable {
        /// Of an hour since 1970-01-01 UTC.
        package let quarter: Int64
        /// How long after the first copy.
        package let delay: RepeatDelay

        /// Names a row.
        package init(quarter: Int64, delay: RepeatDelay) {
            self.quarter = quarter
            self.delay = delay
        }
    }

    /// The deliveries.
    package var deliveries: [Row: DeliveryCounts.Tally] = [:]
    /// The repeats.
    package var repeats: [RepeatRow: Int64] = [:]
    /// Whether some rows cannot be read.
    package var isIncomplete = false

    /// Without counts.
    package init() {}

    /// The counts without those of recorded postbacks.
    package var withoutRecorded: Self {
        var table = self
        table.deliveries = deliveries.filter { $0.key.kind.status != .recorded }
        return table
    }

    /// What has to be added to earlier counts to make them these.
    ///
    /// Numbers may be negative. Where these are incomplete, earlier counts that are missing here stay.
    ///
    /// - Parameter earlier: The earlier counts.
    /// - Returns: The differences that are not 0.
    package func growth(since earlier: Self) -> Self {
        var growth = Self()
        for row in isIncomplete ? Set(deliveries.keys) : Set(deliveries.keys).union(earlier.deliveries.keys) {
            let none = DeliveryCounts.Tally(count: 0, kept: 0)
            let (now, before) = (deliveries[row] ?? none, earlier.deliveries[row] ?? none)
            if now != before {
                growth.deliveries[row] = .init(count: now.count &- before.count, kept: now.kept &- before.kept)
            }
        }
        for row in isIncomplete ? Set(repeats.keys) : Set(repeats.keys).union(earlier.repeats.keys) {
            let count = repeats[row, default: 0] &- earlier.repeats[row, default: 0]
            if count != 0 {
                growth.repeats[row] = count
            }
        }
        return growth
    }
}

/// The counts of a store, and what it has made of some deliveries of its quarantine, at one moment.
package struct DeliverySnapshot: Sendable {
    /// What became of a delivery of a quarantine.
    package enum Fate: Hashable, Sendable {
        /// It is kept, for a reason.
        case kept(reason: String, isConflict: Bool)
        /// It was judged again, or pruned.
        case gone
    }

    /// The counts.
    package let table: DeliveryTable
    /// No delivery of the quarantine that the counts have has a higher id.
    package let newest: Int64
    /// What became of the deliveries, by their ids; without those that cannot be read.
    package let fates: [Int64: Fate]

    /// Makes a snapshot.
    package init(_ table: DeliveryTable, newest: Int64, fates: [Int64: Fate]) {
        self.table = table
        self.newest = newest
        self.fates = fates
    }
}
