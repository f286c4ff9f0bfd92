import Attribution
import AttributionStore

/// The rows of a breakdown, made on access: their counts are large, and only one row is needed at a time.
package struct BreakdownRows: Sequence, Sendable {
    private let make: @Sendable () -> AnyIterator<StandardReportFigures.Row>

    /// Wraps rows.
    package init(_ rows: [StandardReportFigures.Row]) {
        make = { AnyIterator(rows.makeIterator()) }
    }

    /// Takes the rows of an answer.
    ///
    /// - Parameters:
    ///   - rows: The rows of a question.
    ///   - isSplit: Whether the last value of a row is its period, ``LedgerCalendar/previousPeriod`` or
    ///     ``LedgerCalendar/currentPeriod``; rows that differ in nothing else are adjacent.
    init(_ rows: LedgerRows, isSplit: Bool) {
        make = {
            var pending = rows.makeIterator()
            var next = pending.next()
            return AnyIterator {
                guard let row = next else {
                    return nil
                }
                next = pending.next()
                guard isSplit else {
                    return StandardReportFigures.Row(values: row.values, current: row.counts, previous: nil)
                }
                let values = Array(row.values.dropLast())
                guard row.values.last == LedgerCalendar.previousPeriod else {
                    return StandardReportFigures.Row(values: values, current: row.counts, previous: Counts())
                }
                var current = Counts()
                if let same = next, same.values.dropLast().elementsEqual(values) {
                    current = same.counts
                    next = pending.next()
                }
                return StandardReportFigures.Row(values: values, current: current, previous: row.counts)
            }
        }
    }

    /// An iterator over the rows.
    package func makeIterator() -> AnyIterator<StandardReportFigures.Row> {
        make()
    }

    /// The rows added up by one of their values.
    ///
    /// - Parameter index: The index of the value that remains.
    /// - Returns: A row for each of its values.
    func grouped(by index: Int) -> [StandardReportFigures.Row] {
        var sums: [String: (current: Counts, previous: Counts?)] = [:]
        for row in self {
            var sum = sums[row.values[index]] ?? (Counts(), row.previous.map { _ in Counts() })
            sum.current += row.current
            if let previous = row.previous {
                sum.previous? += previous
            }
            sums[row.values[index]] = sum
        }
        return sums.keys.map { OrderedValue($0) }.sorted().compactMap { key in
            sums[key.text].map {
                StandardReportFigures.Row(values: [key.text], current: $0.current, previous: $0.previous)
            }
        }
    }

    /// The sum of all rows.
    var sum: (current: Counts, previous: Counts?) {
        var (current, previous) = (Counts(), nil as Counts?)
        for row in self {
            current += row.current
            if let counts = row.previous {
                previous = previous ?? Counts()
                previous? += counts
            }
        }
        return (current, previous)
    }
}
