package import Attribution

/// What a ledger answers: everything from one snapshot.
package struct LedgerAnswer: Sendable {
    /// A row for each combination of values, in the order of ``Attribution/OrderedValue`` and of time; without dimensions
    /// always one row.
    package let rows: LedgerRows
    /// The sum of the rows.
    package let totals: Counts
    /// What became of the deliveries of the same time, as of now whatever the question's position, and not filtered: what
    /// is in quarantine has no proven dimensions.
    package let deliveries: DeliveryCounts
    /// Up to where postbacks were counted.
    package let position: LedgerPosition
    /// When the last of them was recorded, in Unix milliseconds; nil when there is none.
    package let recordedAtMilliseconds: Int64?
    /// Values the conditions name that no recorded postback has.
    package let unseen: [UnseenValue]
    /// Postbacks that were counted from their bytes, slower, for their columns are damaged; `skan recount --repair` makes
    /// them again.
    package let damaged: [ClosedRange<Int64>]
    /// Recorded postbacks that cannot be read, and so are not in the counts; `skan recount` names them.
    package let unreadableCount: Int

    /// A value of a condition that no recorded postback has.
    package struct UnseenValue: Hashable, Sendable {
        /// The dimension.
        package let dimension: ReportDimension
        /// The value.
        package let value: String

        /// Makes one.
        package init(dimension: ReportDimension, value: String) {
            self.dimension = dimension
            self.value = value
        }
    }

    /// Makes an answer.
    package init(
        rows: LedgerRows,
        totals: Counts,
        deliveries: DeliveryCounts,
        position: LedgerPosition,
        recordedAtMilliseconds: Int64?,
        unseen: [UnseenValue] = [],
        damaged: [ClosedRange<Int64>] = [],
        unreadableCount: Int = 0
    ) {
        self.rows = rows
        self.totals = totals
        self.deliveries = deliveries
        self.position = position
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.unseen = unseen
        self.damaged = damaged
        self.unreadableCount = unreadableCount
    }
}

/// The counts for one combination of values.
package struct LedgerRow: Hashable, Sendable {
    /// The values in the order of the question's dimensions; empty where the postbacks carry none.
    package let values: [String]
    /// The counts.
    package let counts: Counts

    /// Makes a row.
    package init(values: [String], counts: Counts) {
        self.values = values
        self.counts = counts
    }
}

/// The rows of an answer, each made when it is asked for: a row holds more than a hundred counts, most of them 0.
package struct LedgerRows: RandomAccessCollection, Sendable {
    private let make: @Sendable (Int) -> LedgerRow
    /// How many rows there are.
    package let endIndex: Int

    /// Rows made when they are asked for.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - make: Makes the one at an index.
    package init(count: Int, _ make: @escaping @Sendable (Int) -> LedgerRow) {
        endIndex = count
        self.make = make
    }

    /// Rows that are there.
    package init(_ rows: [LedgerRow]) {
        self.init(count: rows.count) { rows[$0] }
    }

    /// The first index.
    package var startIndex: Int {
        0
    }

    /// The row at an index.
    package subscript(index: Int) -> LedgerRow {
        make(index)
    }
}
