import Attribution
package import AttributionStore

/// The rows of a report in the requested order, created on access.
package struct ReportRows: RandomAccessCollection, Sendable {
    private let rows: LedgerRows
    /// The index in ``rows`` of each row; nil if the order is unchanged.
    private let order: [Int]?
    /// How many rows are shown.
    package let endIndex: Int

    /// Sorts the rows, and shows at most ``ReportRequest/top`` of them.
    init(_ rows: LedgerRows, _ request: ReportRequest) {
        self.rows = rows
        endIndex = request.top.map { Swift.min($0, rows.count) } ?? rows.count
        order = request.sort.map { Self.sorted(rows, by: $0, request) }
    }

    /// The first index.
    package var startIndex: Int {
        0
    }

    /// The row at an index.
    package subscript(index: Int) -> LedgerRow {
        rows[order?[index] ?? index]
    }

    /// The indices of the rows in order; only the sort keys are kept in memory, because rows are large.
    private static func sorted(_ rows: LedgerRows, by sort: ReportSort, _ request: ReportRequest) -> [Int] {
        switch sort.key {
        case .column(let column):
            return order(of: rows.map { column.value($0.counts).number }, sort.isDescending)
        case .dimension(let index) where request.dimensions[index] == .hour:
            // When clocks go back, labels of hours do not sort chronologically.
            return order(of: rows.map { HourLabel.start(of: $0.values[index]) }, sort.isDescending)
        case .dimension(let index):
            let keys = rows.map { $0.values[index].isEmpty ? nil : OrderedValue($0.values[index]) }
            return order(of: keys, sort.isDescending)
        }
    }

    /// The indices of keys in sorted order: nil comes last, and ties keep their order.
    private static func order<Key: Comparable>(of keys: [Key?], _ isDescending: Bool) -> [Int] {
        keys.indices.sorted { left, right in
            switch (keys[left], keys[right]) {
            case (let first?, let second?) where first != second: isDescending ? second < first : first < second
            case (_?, nil): true
            case (nil, _?): false
            default: left < right
            }
        }
    }
}

extension ReportColumn.Value {
    /// The sort key; nil for a rate with denominator 0, and for a histogram.
    fileprivate var number: Double? {
        switch self {
        case .count(let count): Double(count)
        case .ratio(let ratio, _): ratio
        case .histogram: nil
        }
    }
}
