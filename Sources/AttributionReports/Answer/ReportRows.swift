import Attribution
package import AttributionStore

/// The rows of a report in the order asked for, each made when it is asked for.
package struct ReportRows: RandomAccessCollection, Sendable {
    private let rows: LedgerRows
    /// The index of each row shown among ``rows``; nil for the first ones as they are.
    private let order: [Int]?
    /// How many rows are shown.
    package let endIndex: Int

    /// Takes the rows shown: sorted, then no more than asked for.
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

    /// The indices of the rows in order; each row is made once for its key alone, for a row is large.
    private static func sorted(_ rows: LedgerRows, by sort: ReportSort, _ request: ReportRequest) -> [Int] {
        switch sort.key {
        case .column(let column):
            return order(of: rows.map { column.value($0.counts).number }, sort.isDescending)
        case .dimension(let index) where request.dimensions[index] == .hour:
            // Where clocks go back, the text of an hour is not in the order of time.
            return order(of: rows.map { HourLabel.start(of: $0.values[index]) }, sort.isDescending)
        case .dimension(let index):
            let keys = rows.map { $0.values[index].isEmpty ? nil : OrderedValue($0.values[index]) }
            return order(of: keys, sort.isDescending)
        }
    }

    /// The indices of keys in their order: those that are nil last, and ties as they are.
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
    /// What rows are sorted by; nil for a rate of nothing, and for a histogram.
    fileprivate var number: Double? {
        switch self {
        case .count(let count): Double(count)
        case .ratio(let ratio, _): ratio
        case .histogram: nil
        }
    }
}
