import Attribution
import StrictJSON

extension [ReportSection] {
    /// The sections with the columns, the order and the rows that a request chooses; those without the columns are left
    /// out.
    ///
    /// - Throws: ``Attribution/FieldProblem`` for a column that no section has, or no section together with the others.
    func chosen(by request: StandardReportRequest) throws(FieldProblem) -> [ReportSection] {
        guard request.columns != nil || request.sort != nil else {
            return self
        }
        let names = request.columns ?? []
        let sections = filter { section in names.allSatisfy { section.index(of: $0) != nil } }
        guard !sections.isEmpty else {
            throw unknown(names.first { name in !contains { $0.index(of: name) != nil } }, names, "columns")
        }
        guard let sort = request.sort else {
            return sections.map { $0.with(columns: names) }
        }
        let isDescending = sort.hasPrefix("-")
        let key = isDescending ? String(sort.dropFirst()) : sort
        guard sections.contains(where: { $0.index(of: key) != nil }) else {
            throw sections.unknown(key, [key], "sort")
        }
        return sections.map { section in
            let sorted =
                section.index(of: key).map { section.sorted(by: $0, isDescending, top: request.selection.top) }
                ?? section
            return names.isEmpty ? sorted : sorted.with(columns: names)
        }
    }

    /// Says which columns there are; `name` is the one that no section has, or nil if no section has all of them.
    private func unknown(_ name: String?, _ names: [String], _ field: String) -> FieldProblem {
        let known = map { "\($0.name) has \($0.columns.map(\.name).joined(separator: ", "))" }
        let all = flatMap { $0.columns.map(\.name) }
        return FieldProblem(
            field: field, found: (name ?? names.joined(separator: ",")).shortened(to: 60),
            expected: (name == nil ? "columns of one section: " : "a column: ") + known.joined(separator: "; ")
                + (name.map { all.suggestion(for: $0) } ?? ""))
    }
}

extension ReportSection {
    fileprivate func index(of name: String) -> Int? {
        columns.firstIndex { $0.name == name }
    }

    /// The columns that are named, in their order; keys stay even if they are not, so that rows can be told apart.
    fileprivate func with(columns names: [String]) -> ReportSection {
        let named = names.compactMap(index)
        let isText = { (index: Int) in columns[index].kind.isText }
        let keys = named.filter(isText) + columns.indices.filter { isText($0) && !named.contains($0) }
        let order = keys + named.filter { !isText($0) }
        func row(_ row: ReportSectionRow) -> ReportSectionRow {
            ReportSectionRow(
                order.map { row.cells[$0] }, previous: row.previous.map { cells in order.map { cells[$0] } })
        }
        return with(order.map { columns[$0] }, rows.map(row), totals: totals.map(row))
    }

    /// The rows in the order of a column, those without a value last; equal ones keep their order.
    fileprivate func sorted(by column: Int, _ isDescending: Bool, top: Int?) -> ReportSection {
        let keys = rows.map { SortKey($0.cells[column]) }
        let order = keys.indices.sorted { left, right in
            switch (keys[left], keys[right]) {
            case (let one?, let other?) where one != other: isDescending ? other < one : one < other
            case (_?, nil): true
            case (nil, _?): false
            default: left < right
            }
        }
        let shown = order.prefix(top ?? .max).map { rows[$0] }
        return with(
            columns, shown, totals: totals, omittedRows: omittedRows + rows.count - shown.count, isInOrder: false)
    }
}

/// What a cell is ordered by.
private enum SortKey: Comparable {
    case text(OrderedValue)
    case number(Double)

    /// Takes a cell; nil for one without a value.
    init?(_ cell: ReportCell) {
        switch cell {
        case .key(""), .text(""), .absent, .histogram: return nil
        case .key(let text), .text(let text): self = .text(OrderedValue(text))
        case .time(let milliseconds): self = .number(Double(milliseconds))
        default: self = .number(cell.number ?? 0)
        }
    }
}
