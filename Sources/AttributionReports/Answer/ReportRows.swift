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
        let keys =
            switch sort.key {
            case .column(let column): rows.map { SortKey(column.value($0.counts)) }
            case .dimension(let index): rows.map { SortKey($0.values[index], of: request.dimensions[index]) }
            }
        return rows.indices.sorted { left, right in
            let (first, second) = (keys[left], keys[right])
            guard first != second else {
                // Ties stay in the order of the dimensions.
                return left < right
            }
            guard !first.isMissing, !second.isMissing else {
                return second.isMissing
            }
            return sort.isDescending ? second < first : first < second
        }
    }
}

/// What a row is sorted by: nothing, a number or a text.
private enum SortKey: Hashable, Comparable {
    case number(Double)
    case text(String)
    /// A rate of nothing, or a dimension the postbacks do not carry: always last.
    case missing

    init(_ value: ReportColumn.Value) {
        switch value {
        case .count(let count): self = .number(Double(count))
        case .ratio(let ratio, _): self = ratio.map(SortKey.number) ?? .missing
        case .histogram: self = .missing
        }
    }

    init(_ value: String, of dimension: ReportDimension) {
        if dimension == .hour, let start = HourLabel.start(of: value) {
            self = .number(Double(start))
        } else if dimension == .sourceIdentifier, !value.isEmpty {
            // Digits of which leading zeros count.
            self = .text(value)
        } else if let number = Int64(value) {
            self = .number(Double(number))
        } else {
            self = value.isEmpty ? .missing : .text(value)
        }
    }

    var isMissing: Bool {
        self == .missing
    }
}
