public import Attribution

/// What a ledger answers: everything from one snapshot.
public struct LedgerAnswer: Sendable {
    /// A row for each combination of values, ordered by them; numbers by size.
    public let rows: LedgerRows
    /// The sum of the rows.
    public let totals: Counts
    /// What became of the deliveries of the same time, as of now whatever the question's position, and not filtered: what
    /// is in quarantine has no proven dimensions.
    public let deliveries: DeliveryCounts
    /// Up to where postbacks were counted.
    public let position: LedgerPosition
    /// When the last of them was recorded, in Unix milliseconds; nil when there is none.
    public let recordedAtMilliseconds: Int64?
    /// Values the conditions name that no recorded postback has.
    public let unseen: [UnseenValue]
    /// Postbacks that were counted from their bytes, slower, for their columns are damaged; `skan recount --repair` makes
    /// them again.
    public let damaged: [ClosedRange<Int64>]
    /// Recorded postbacks that cannot be read, and so are not in the counts; `skan recount` names them.
    public let unreadableCount: Int

    /// A value of a condition that no recorded postback has.
    public struct UnseenValue: Hashable, Sendable {
        /// The dimension.
        public let dimension: ReportDimension
        /// The value.
        public let value: String

        /// Makes one.
        public init(dimension: ReportDimension, value: String) {
            self.dimension = dimension
            self.value = value
        }
    }

    /// Makes an answer.
    public init(
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
public struct LedgerRow: Hashable, Sendable {
    /// The values in the order of the question's dimensions; empty where the postbacks carry none.
    public let values: [String]
    /// The counts.
    public let counts: Counts

    /// Makes a row.
    public init(values: [String], counts: Counts) {
        self.values = values
        self.counts = counts
    }
}

/// The rows of an answer, each made when it is asked for: a row holds more than a hundred counts, most of them 0.
public struct LedgerRows: RandomAccessCollection, Sendable {
    private let make: @Sendable (Int) -> LedgerRow
    /// How many rows there are.
    public let endIndex: Int

    /// Rows made when they are asked for.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - make: Makes the one at an index.
    init(count: Int, _ make: @escaping @Sendable (Int) -> LedgerRow) {
        endIndex = count
        self.make = make
    }

    /// Rows that are there.
    public init(_ rows: [LedgerRow]) {
        self.init(count: rows.count) { rows[$0] }
    }

    /// The first index.
    public var startIndex: Int {
        0
    }

    /// The row at an index.
    public subscript(index: Int) -> LedgerRow {
        make(index)
    }
}
