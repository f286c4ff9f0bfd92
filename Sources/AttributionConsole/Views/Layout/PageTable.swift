import Attribution
import AttributionReports
import StrictJSON

/// A table of a page, which is also a file of comma-separated values.
struct PageTable: Hashable, Sendable {
    struct Column: Hashable, Sendable {
        let name: String
        let isNumber: Bool
        /// A mark that follows the name, such as `not signed`.
        let note: String?
        let sort: Sort?
        /// How its figures are written.
        let form: FigureForm

        /// A link that sorts the rows.
        struct Sort: Hashable {
            let link: PageLink
            /// Whether the greatest comes first now; nil if the rows are not sorted by this column.
            let isDescending: Bool?
        }

        init(
            _ name: String, isNumber: Bool = false, note: String? = nil, sort: Sort? = nil,
            form: FigureForm = FigureForm()
        ) {
            (self.name, self.isNumber, self.note, self.sort, self.form) = (name, isNumber, note, sort, form)
        }
    }

    /// A cell: the value of a report's, with what a page adds to it.
    struct Cell: Hashable, Sendable {
        let content: ReportCell
        /// What tells it from cells with the same content, in smaller letters below it.
        var details: [String] = []
        var link: PageLink?
        /// The figure of the previous period.
        var previous: ReportCell?

        /// A text from outside; empty for none.
        static func value(_ text: String, link: PageLink? = nil) -> Cell {
            Cell(content: .key(text), link: link)
        }

        static func count(_ count: Int64, link: PageLink? = nil) -> Cell {
            Cell(content: .count(count), link: link)
        }

        /// One of our own words.
        static func words(_ text: String, link: PageLink? = nil) -> Cell {
            Cell(content: .text(text), link: link)
        }

        /// A moment, in Unix milliseconds.
        static func moment(_ milliseconds: Int64) -> Cell {
            Cell(content: .time(milliseconds))
        }

        static let blank = Cell(content: .absent)
    }

    struct Row: Hashable, Sendable {
        let cells: [Cell]
        /// How long the bar behind its first cell is, from 0 to 1; nil for none.
        var part: Double?

        init(_ cells: [Cell], part: Double? = nil) {
            (self.cells, self.part) = (cells, part)
        }
    }

    /// The name, unique on its page: of its heading and of the file.
    let id: String
    let caption: String
    let columns: [Column]
    let rows: [Row]
    var totals: Row?
    var omittedRows = 0
    /// What is said where there are no rows.
    var emptyText = "There is nothing to show."

    /// The table as CSV, RFC 4180, with plain numbers.
    var csv: String {
        let lines =
            [columns.map(\.name)] + (rows + [totals].compactMap(\.self)).map { $0.cells.map(\.content.text) }
        return lines.map { $0.map(\.csvCell).joined(separator: ",") + "\r\n" }.joined()
    }

    /// The table in a box of its own, with a link to its file, which is a part of a page.
    func card(of page: PageLink) -> HTML {
        HTML(.section, .class("card"), .ariaLabelledBy(id + "-caption")) { html(fileOf: page) }
    }

    /// The table with its caption and a link to its file.
    func html(fileOf page: PageLink) -> HTML {
        html(csv: page.adding("section", id).adding("format", "csv"))
    }

    /// The table with its caption and a link to its file, if it has one.
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
                        HTML(.thead) { HTML(.tr) { HTML(columns.map(\.html)) } }
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

    /// The first cell is the row's heading.
    private func cells(of row: Row) -> HTML {
        HTML(
            zip(columns, row.cells).enumerated().map { index, pair in
                let (column, cell) = pair
                let attributes: [HTMLAttribute] =
                    column.isNumber ? [.class("number")] : cell.details.isEmpty ? [] : [.class("campaign")]
                let content = cell.html(column.form, isNumber: column.isNumber)
                guard index == 0 else {
                    return HTML(.td, attributes, content)
                }
                return HTML(.th, [.scope("row")] + attributes, HTML([content, row.part.map(Self.bar) ?? .nothing]))
            })
    }

    private static func bar(_ part: Double) -> HTML {
        HTML(.svg, .class("part"), .ariaHidden) {
            HTML(.rect, .width(.percent(min(max(part, 0), 1) * 100)), .height(.percent(100)))
        }
    }
}

extension PageTable.Column {
    fileprivate var html: HTML {
        var attributes: [HTMLAttribute] = [.scope("col")]
        if isNumber { attributes.append(.class("number")) }
        var heading = HTML(name)
        if let sort {
            if let isDescending = sort.isDescending {
                attributes.append(isDescending ? .ariaSort("descending") : .ariaSort("ascending"))
            }
            heading = HTML(.a, .href(sort.link)) {
                name
                if let isDescending = sort.isDescending {
                    HTML(.span, .ariaHidden) { isDescending ? " ▼" : " ▲" }
                }
            }
        }
        let mark = note.map { note in HTML(.span, .class("mark")) { note } }
        return HTML(.th, attributes, HTML([heading, mark ?? .nothing]))
    }
}

/// How the figures of a column are written, so that all of them line up.
struct FigureForm: Hashable, Sendable {
    /// Whether shares are numbers rather than percentages: those of another whole, which can be greater than it.
    private(set) var areRatios = false
    /// The decimal places of amounts of money.
    private(set) var moneyPlaces = 2

    init() {}

    /// The form that suits all cells of a column.
    init(_ cells: some Sequence<ReportCell>) {
        var greatest: Int64?
        for cell in cells {
            switch cell {
            case .share(let part, let whole): areRatios = areRatios || part > whole
            case .shares(let parts, let whole): areRatios = areRatios || parts.upperBound > whole
            case .money(let amount): greatest = max(greatest ?? 0, amount.micros)
            default: break
            }
        }
        // Of amounts below one, cents say too little.
        moneyPlaces = greatest.map { $0 < 1_000_000 } == true ? 4 : 2
    }
}

extension PageTable.Cell {
    /// The cell, with what tells it from others and the figure of the previous period.
    func html(_ form: FigureForm = FigureForm(), isNumber: Bool = true) -> HTML {
        let shown = content.html(form, isNumber: isNumber, isLink: link != nil)
        let ids =
            details.isEmpty
            ? HTML.nothing
            : HTML(.span, .class("ids")) {
                HTML(details.enumerated().map { HTML([HTML($0 > 0 ? " · " : ""), .value($1)]) })
            }
        let change =
            previous.map { previous in
                HTML([
                    HTML(" "),
                    HTML(.span, .class("change")) {
                        content.growth(since: previous).map { $0 + " from " } ?? "from "
                        previous.html(form, isNumber: isNumber)
                    },
                ])
            } ?? .nothing
        return HTML([link.map { link in HTML(.a, .href(link)) { shown } } ?? shown, ids, change])
    }
}

extension ReportCell {
    /// How long words are that need a column of their own width.
    private static let sentence = 24

    fileprivate func html(_ form: FigureForm, isNumber: Bool, isLink: Bool = false) -> HTML {
        func ratio(_ part: Int64, _ whole: Int64) -> Double {
            Double(part) / Double(whole)
        }
        func share(_ part: Int64, _ whole: Int64) -> HTML {
            form.areRatios
                ? HTML(.data, .value(ratio(part, whole).fixed(places: 4))) { ratio(part, whole).fixed(places: 2) }
                : .share(ratio(part, whole))
        }
        func bounds(_ lower: HTML, _ upper: HTML) -> HTML {
            lower == upper ? lower : HTML([lower, HTML(" to "), upper])
        }
        return switch self {
        case .key(let text): .value(text)
        case .text(let text): isLink || text.count < Self.sentence ? HTML(text) : HTML(.span, .class("words")) { text }
        case .count(let count): .count(count)
        case .share(let part, let whole): share(part, whole)
        case .mean(let sum, let count): .decimal(ratio(sum, count), places: 2)
        case .decimal(let number, let places):
            HTML(.data, .value(number.fixed(places: places))) { number.fixed(places: min(places, 3)) }
        case .money(let amount): .money(amount, places: form.moneyPlaces)
        case .counts(let range): bounds(.count(range.lowerBound), .count(range.upperBound))
        case .shares(let range, let whole):
            bounds(share(range.lowerBound, whole), share(range.upperBound, whole))
        case .time(let milliseconds): .moment(milliseconds)
        case .histogram, .absent: isNumber ? HTML(.span, .class("none")) { "–" } : .none
        }
    }

    /// By how much a count or an amount has grown, in percent; nil for other cells, and where there was nothing to grow
    /// from.
    func growth(since previous: ReportCell) -> String? {
        let now: Double
        let before: Double
        switch (self, previous) {
        case (.count(let count), .count(let former)): (now, before) = (Double(count), Double(former))
        case (.money(let amount), .money(let former)): (now, before) = (Double(amount.micros), Double(former.micros))
        default: return nil
        }
        guard before > 0 else {
            return nil
        }
        let percent = (now - before) / before * 100
        let sign = percent > 0 ? "+" : percent < 0 ? "−" : "±"
        return sign + abs(percent).fixed(places: 1) + " %"
    }
}
