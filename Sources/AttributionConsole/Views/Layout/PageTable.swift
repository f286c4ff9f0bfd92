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

        /// A link that sorts the rows.
        struct Sort: Hashable {
            let link: PageLink
            /// Whether the greatest comes first now; nil if the rows are not sorted by this column.
            let isDescending: Bool?
        }

        init(_ name: String, isNumber: Bool = false, note: String? = nil, sort: Sort? = nil) {
            (self.name, self.isNumber, self.note, self.sort) = (name, isNumber, note, sort)
        }
    }

    /// A cell: the value of a report's, with what a page adds to it.
    struct Cell: Hashable, Sendable {
        let content: ReportCell
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
                let attributes: [HTMLAttribute] = pair.0.isNumber ? [.class("number")] : []
                guard index == 0 else {
                    return HTML(.td, attributes, pair.1.html)
                }
                return HTML(.th, [.scope("row")] + attributes, HTML([pair.1.html, row.part.map(Self.bar) ?? .nothing]))
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

extension PageTable.Cell {
    /// The cell, with the figure of the previous period.
    var html: HTML {
        guard let previous else {
            return link.map { link in HTML(.a, .href(link)) { content.html(isLink: true) } } ?? content.html()
        }
        return HTML([
            content.html(),
            HTML(" "),
            HTML(.span, .class("change")) {
                content.growth(since: previous).map { $0 + " from " } ?? "from "
                previous.html()
            },
        ])
    }
}

extension ReportCell {
    /// How long words are that need a column of their own width.
    private static let sentence = 24

    fileprivate func html(isLink: Bool = false) -> HTML {
        func ratio(_ part: Int64, _ whole: Int64) -> Double {
            Double(part) / Double(whole)
        }
        func bounds(_ lower: HTML, _ upper: HTML) -> HTML {
            lower == upper ? lower : HTML([lower, HTML(" to "), upper])
        }
        return switch self {
        case .key(let text): .value(text)
        case .text(let text): isLink || text.count < Self.sentence ? HTML(text) : HTML(.span, .class("words")) { text }
        case .count(let count): .count(count)
        case .share(let part, let whole): .share(ratio(part, whole))
        case .mean(let sum, let count): .decimal(ratio(sum, count), places: 2)
        case .decimal(let number, let places): .decimal(number, places: places)
        case .money(let amount): HTML(amount.description)
        case .counts(let range): bounds(.count(range.lowerBound), .count(range.upperBound))
        case .shares(let range, let whole):
            bounds(.share(ratio(range.lowerBound, whole)), .share(ratio(range.upperBound, whole)))
        case .time(let milliseconds): .moment(milliseconds)
        case .histogram, .absent: .none
        }
    }

    /// By how much a count has grown, in percent; nil for other cells, and where there was nothing to grow from.
    fileprivate func growth(since previous: ReportCell) -> String? {
        guard case .count(let now) = self, case .count(let before) = previous, before > 0 else {
            return nil
        }
        let percent = (Double(now) - Double(before)) / Double(before) * 100
        let sign = percent > 0 ? "+" : percent < 0 ? "−" : "±"
        return sign + abs(percent).fixed(places: 1) + " %"
    }
}
