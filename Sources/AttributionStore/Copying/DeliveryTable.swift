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
}
