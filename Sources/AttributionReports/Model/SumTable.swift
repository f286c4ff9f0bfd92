package import Attribution
import AttributionStore

/// Figures that can be added.
package protocol Summable: Sendable {
    /// Nothing.
    init()
    /// Adds others.
    static func += (lhs: inout Self, rhs: Self)
}

extension Summable {
    /// Changes the sums where they are.
    mutating func change(_ change: (inout Self) -> Void) {
        change(&self)
    }
}

extension Counts: Summable {}

struct CountsByKind<Kind: Hashable & Sendable>: Summable {
    private(set) var counts: [Kind: Int64] = [:]

    subscript(kind: Kind) -> Int64 {
        get { counts[kind] ?? 0 }
        set { counts[kind] = newValue }
    }

    var sum: Int64 {
        counts.values.reduce(0, +)
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.counts.merge(rhs.counts, uniquingKeysWith: +)
    }
}

/// The sums of one combination of keys in the period and in the one before.
package struct SumRow<Sums: Summable>: Sendable {
    /// The keys; empty for postbacks without a value.
    package let values: [String]
    /// The sums of the period.
    package var current: Sums
    /// The sums of the previous period; nil if figures are not compared.
    package var previous: Sums?

    package init(values: [String], current: Sums, previous: Sums?) {
        self.values = values
        self.current = current
        self.previous = previous
    }

    /// Changes the sums of both periods where they are.
    fileprivate mutating func change(_ current: Int64, _ previous: Int64?, _ add: (inout Sums, Int64) -> Void) {
        add(&self.current, current)
        self.previous?.change { add(&$0, previous ?? 0) }
    }

    mutating func add(_ row: Self) {
        current += row.current
        if let previous = row.previous {
            var sum = self.previous ?? Sums()
            sum += previous
            self.previous = sum
        }
    }
}

/// Sums by combinations of keys.
struct KeyedSums<Sums: Summable> {
    /// The rows, in no order.
    private(set) var rows: [[String]: SumRow<Sums>] = [:]
    private let isCompared: Bool

    init(isCompared: Bool) {
        self.isCompared = isCompared
    }

    /// Adds the postbacks of both periods to the sums of some keys.
    mutating func add(_ keys: [String], _ current: Int64, _ previous: Int64?, _ add: (inout Sums, Int64) -> Void) {
        let empty = SumRow(values: keys, current: Sums(), previous: isCompared ? Sums() : nil)
        rows[keys, default: empty].change(current, previous, add)
    }

    /// The rows in the order of their keys.
    var sorted: [SumRow<Sums>] {
        rows.values.map { row in (row, row.values.map { OrderedValue($0) }) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }
}

/// Makes sections whose rows are sums: their totals are the sum of the rows, and rates follow from these sums.
struct SumTable<Sums: Summable> {
    let keys: [ReportColumn]
    /// The other columns, and how their cells follow from sums.
    let figures: [(column: ReportColumn, cell: (Sums) -> ReportCell)]

    var columns: [ReportColumn] {
        keys + figures.map(\.column)
    }

    func row(_ values: [String], _ current: Sums, _ previous: Sums?) -> ReportSectionRow {
        let names = values.map(ReportCell.key)
        return ReportSectionRow(
            names + figures.map { $0.cell(current) },
            previous: previous.map { sums in
                names + figures.map { $0.column.isCompared ? $0.cell(sums) : .absent }
            })
    }

    /// A section of rows, which come in the order of their keys.
    ///
    /// The first figures, as many as `ranks`, order the rows, the greatest first, and rows of which no figure is set are
    /// left out; with 0, all rows are shown as they come. `isCompared` gives the totals those of the previous period even
    /// if no row has them. Rows that begin with the keys of a campaign are brought together as `rollUp` says.
    func section(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ rows: some Sequence<SumRow<Sums>>,
        isCompared: Bool = false,
        ranks: Int = 1,
        top: Int? = nil,
        rollUp: CampaignRollUp? = nil,
        notes: [String] = [],
        chart: ReportChart? = nil
    ) -> ReportSection {
        var sum = SumRow(values: keys.map { _ in "" }, current: Sums(), previous: isCompared ? Sums() : nil)
        var made: [ReportSectionRow] = []
        for row in rows {
            sum.add(row)
            let row = self.row(row.values, row.current, row.previous)
            if ranks == 0 || (row.cells + (row.previous ?? [])).contains(where: { $0.number ?? 0 != 0 }) {
                made.append(row)
            }
        }
        let ranking = keys.count..<(keys.count + ranks)
        let (shown, omitted) = ReportSection.greatest(
            made, top: top,
            arranged: { rows in
                rollUp?.together(rows) { CampaignKey(ArraySlice($0.cells.prefix(4).map(\.text))) } ?? rows
            }
        ) { left, right in
            let differing = ranking.first { left.cells[$0] != right.cells[$0] }
            return differing.map { left.cells[$0].number ?? -1 > right.cells[$0].number ?? -1 } ?? false
        }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: columns, rows: shown,
            totals: row(sum.values, sum.current, sum.previous), omittedRows: omitted, notes: notes, chart: chart)
    }
}

extension SumTable<Counts> {
    /// The columns of dimensions, and figures beside them.
    init(_ dimensions: [ReportDimension], _ figures: [ReportFigure]) {
        keys = dimensions.map { .key($0) }
        self.figures = figures.map { ($0.column, $0.cell) }
    }

    /// A section with a row for each day of the period, days without postbacks included, and the day of the previous
    /// period that has the same number in it.
    func daySection(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ figures: StandardReportFigures,
        _ days: [CalendarDay: Counts],
        notes: [String] = []
    ) -> ReportSection {
        let length = figures.request.previous.map(\.count)
        let first = figures.request.period?.first
        let rows = figures.shownDays.lazy.map { day in
            // A day beyond today has none to be compared with.
            let former = length.flatMap { length in
                first.flatMap { day.number - $0.number < length ? day.advanced(by: -length) : nil }
            }
            return SumRow(
                values: [day.description], current: days[day] ?? Counts(),
                previous: former.map { days[$0] ?? Counts() })
        }
        return section(
            name, title, meaning, rows, isCompared: length != nil, ranks: 0, notes: notes,
            chart: .line(day: ReportDimension.day.rawValue, value: self.figures.first?.column.name ?? ""))
    }
}
