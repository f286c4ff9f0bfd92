import Attribution
import AttributionReports
import StrictJSON

extension PageTable {
    /// The table with its caption and a link to its file.
    ///
    /// - Parameter csv: The address of the file; nil without one.
    /// - Returns: The table.
    func html(csv: PageLink?) -> HTML {
        let captionID = id + "-caption"
        return HTML(.div, .class("table")) {
            if rows.isEmpty {
                HTML(.p, .class("empty"), .id(captionID)) {
                    HTML(.span) { caption + ": " }
                    emptyText
                }
            } else {
                HTML(.div, .class("scroll"), .role("region"), .ariaLabelledBy(captionID), .tabindex(0)) {
                    HTML(.table, .id(id)) {
                        HTML(.caption, .id(captionID)) { HTML(.span) { caption } }
                        HTML(.thead) { HTML(.tr) { HTML(columns.map(Self.head)) } }
                        HTML(.tbody) { HTML(rows.map { HTML(.tr, [], cells(of: $0)) }) }
                        if let totals {
                            HTML(.tfoot) { HTML(.tr, [], cells(of: totals)) }
                        }
                    }
                }
                if omittedRows > 0 {
                    HTML(.p, .class("more")) { "… and \(Int64(omittedRows).grouped) more; the totals include them." }
                }
            }
            if let csv {
                HTML(.p, .class("file")) {
                    HTML(.a, .href(csv), .download) { "CSV: \(caption)" }
                }
            }
        }
    }

    private static func head(_ column: Column) -> HTML {
        var attributes: [HTMLAttribute] = [.scope("col")]
        if column.isNumber { attributes.append(.class("number")) }
        var name = HTML(column.name)
        if let sort = column.sort {
            switch sort.order {
            case .ascending: attributes.append(.ariaSort("ascending"))
            case .descending: attributes.append(.ariaSort("descending"))
            case nil: break
            }
            name = HTML(.a, .href(sort.link)) {
                column.name
                switch sort.order {
                case .ascending: HTML(.span, .ariaHidden) { " ▲" }
                case .descending: HTML(.span, .ariaHidden) { " ▼" }
                case nil: HTML.nothing
                }
            }
        }
        return HTML(.th, attributes, HTML([name, column.note.map(Self.mark) ?? .nothing]))
    }

    private static func mark(_ note: String) -> HTML {
        HTML(.span, .class("mark")) { note }
    }

    /// The first cell is the row's heading.
    private func cells(of row: Row) -> HTML {
        HTML(
            zip(columns, row.cells).enumerated().map { index, pair in
                let (column, cell) = pair
                let content = cell.html
                guard index == 0 else {
                    return HTML(.td, column.isNumber ? [.class("number")] : [], content)
                }
                let isNumber: [HTMLAttribute] = column.isNumber ? [.class("number")] : []
                return HTML(.th, [.scope("row")] + isNumber, HTML([content, row.part.map(Self.bar) ?? .nothing]))
            })
    }

    private static func bar(_ part: Double) -> HTML {
        HTML(.svg, .class("part"), .ariaHidden) {
            HTML(.rect, .width(.percent(min(max(part, 0), 1) * 100)), .height(.percent(100)))
        }
    }
}

extension PageTable.Cell {
    /// How long words are that need a column of their own width.
    private static let sentence = 24

    /// The cell.
    var html: HTML {
        switch self {
        case .value(let text, let link?): HTML(.a, .href(link)) { HTML.value(text) }
        case .value(let text, nil): .value(text)
        case .count(let number, let link?): HTML(.a, .href(link)) { HTML.count(number) }
        case .count(let number, nil): .count(number)
        case .share(let share): .share(share)
        case .decimal(let number, let places): .decimal(number, places: places)
        case .money(let amount): HTML(amount.description)
        case .words(let text, let link?): .link(link, text)
        case .words(let text, nil): text.count < Self.sentence ? HTML(text) : HTML(.span, .class("words")) { text }
        case .counts(let range):
            range.lowerBound == range.upperBound
                ? .count(range.lowerBound) : HTML([.count(range.lowerBound), HTML(" to "), .count(range.upperBound)])
        case .shares(let range):
            range.lowerBound == range.upperBound
                ? .share(range.lowerBound) : HTML([.share(range.lowerBound), HTML(" to "), .share(range.upperBound)])
        case .moment(let milliseconds): .moment(milliseconds)
        case .compared(let cell, let previous):
            HTML([
                cell.html,
                HTML(" "),
                HTML(.span, .class("change")) {
                    cell.growth(since: previous).map { $0 + " from " } ?? "from "
                    previous.html
                },
            ])
        case .blank: .none
        }
    }

    /// By how much a count has grown, in percent; nil for other cells, and where there was nothing to grow from.
    private func growth(since previous: Self) -> String? {
        guard case .count(let now, _) = self, case .count(let before, _) = previous, before > 0 else {
            return nil
        }
        let percent = (Double(now) - Double(before)) / Double(before) * 100
        let sign = percent > 0 ? "+" : percent < 0 ? "−" : "±"
        return sign + abs(percent).fixed(places: 1) + " %"
    }
}
