package import Attribution

/// The answer to a question, all from one snapshot.
package struct LedgerAnswer: Sendable {
    /// A row for each combination of values, in the order of ``Attribution/OrderedValue`` and of time; exactly one row
    /// if the question has no dimensions.
    package let rows: LedgerRows
    /// The sum of the rows.
    package let totals: Counts
    /// The deliveries of the same time range, as of now even if the question names a position; unfiltered, because
    /// quarantined deliveries have no proven dimensions.
    package let deliveries: DeliveryCounts
    /// The position up to which postbacks were counted.
    package let position: LedgerPosition
    /// When the last of them was recorded, in Unix milliseconds; nil if there is none.
    package let recordedAtMilliseconds: Int64?
    /// Values in the conditions that no recorded postback has.
    package let unseen: [UnseenValue]
    /// Postbacks that were counted without columns because theirs are damaged; `skan recount --repair` rebuilds
    /// the columns.
    package let damaged: [ClosedRange<Int64>]
    /// How many recorded postbacks cannot be read and are not counted; `skan recount` names them.
    package let unreadableCount: Int
    /// Whether the server that records was given no networks, so that those of others count as the operator's own.
    package let countsEveryNetwork: Bool

    /// A value of a condition that no recorded postback has.
    package struct UnseenValue: Hashable, Sendable {
        package let dimension: ReportDimension
        package let value: String

        package init(dimension: ReportDimension, value: String) {
            self.dimension = dimension
            self.value = value
        }
    }

    package init(
        rows: LedgerRows,
        totals: Counts,
        deliveries: DeliveryCounts,
        position: LedgerPosition,
        recordedAtMilliseconds: Int64?,
        unseen: [UnseenValue] = [],
        damaged: [ClosedRange<Int64>] = [],
        unreadableCount: Int = 0,
        countsEveryNetwork: Bool = false
    ) {
        self.rows = rows
        self.totals = totals
        self.deliveries = deliveries
        self.position = position
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.unseen = unseen
        self.damaged = damaged
        self.unreadableCount = unreadableCount
        self.countsEveryNetwork = countsEveryNetwork
    }
}

/// The counts for one combination of values.
package struct LedgerRow: Hashable, Sendable {
    /// The values in the order of the question's dimensions; empty for postbacks without a value.
    package let values: [String]
    package let counts: Counts

    package init(values: [String], counts: Counts) {
        self.values = values
        self.counts = counts
    }
}

/// The rows of an answer, created on access because each holds more than a hundred counts, most of them 0.
package struct LedgerRows: RandomAccessCollection, Sendable {
    private let make: @Sendable (Int) -> LedgerRow
    package let endIndex: Int

    package init(count: Int, _ make: @escaping @Sendable (Int) -> LedgerRow) {
        endIndex = count
        self.make = make
    }

    package init(_ rows: [LedgerRow]) {
        self.init(count: rows.count) { rows[$0] }
    }

    package var startIndex: Int {
        0
    }

    /// The row at an index.
    package subscript(index: Int) -> LedgerRow {
        make(index)
    }
}
