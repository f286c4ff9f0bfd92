package import Attribution
import AttributionReports
import StrictJSON

/// A table of a page, which is also a file of comma-separated values.
package struct PageTable: Hashable, Sendable {
    /// A column.
    package struct Column: Hashable, Sendable {
        let name: String
        let isNumber: Bool
        let note: String?
        let sort: Sort?

        /// A link that sorts the rows.
        package struct Sort: Hashable, Sendable {
            let link: PageLink
            /// How the rows are sorted by this column now.
            let order: Order?

            package enum Order: Hashable, Sendable {
                case ascending, descending
            }

            /// Makes a link.
            package init(link: PageLink, order: Order?) {
                self.link = link
                self.order = order
            }
        }

        /// Makes a column.
        ///
        /// - Parameters:
        ///   - name: Its name, on the page and in the file.
        ///   - isNumber: Whether its cells are numbers.
        ///   - note: A mark that follows the name, such as `not signed`.
        ///   - sort: How to sort by it.
        package init(_ name: String, isNumber: Bool = false, note: String? = nil, sort: Sort? = nil) {
            self.name = name
            self.isNumber = isNumber
            self.note = note
            self.sort = sort
        }
    }

    /// A cell.
    package indirect enum Cell: Hashable, Sendable {
        /// A text from outside; empty for none.
        case value(String, link: PageLink? = nil)
        case count(Int64, link: PageLink? = nil)
        /// A share between 0 and 1; nil where its denominator is 0.
        case share(Double?)
        case decimal(Double?, places: Int)
        /// Bounds of a count.
        case counts(ClosedRange<Int64>)
        /// Bounds of a share.
        case shares(ClosedRange<Double>)
        /// A moment, in Unix milliseconds.
        case moment(Int64)
        /// An amount of money in the currency that the row names.
        case money(Money)
        /// One of our own words.
        case words(String, link: PageLink? = nil)
        /// A figure with that of the previous period.
        case compared(Cell, previous: Cell)
        /// No value.
        case blank
    }

    /// A row.
    package struct Row: Hashable, Sendable {
        let cells: [Cell]
        let part: Double?

        /// Makes a row.
        ///
        /// - Parameters:
        ///   - cells: A cell for each column.
        ///   - part: How long the bar behind its first cell is, from 0 to 1; nil for none.
        package init(_ cells: [Cell], part: Double? = nil) {
            self.cells = cells
            self.part = part
        }
    }

    /// The name, unique on its page: of its heading and of the file.
    package let id: String
    let caption: String
    let columns: [Column]
    package let rows: [Row]
    let totals: Row?
    let omittedRows: Int
    /// What is said where there are no rows.
    let emptyText: String

    /// Makes a table.
    package init(
        id: String,
        caption: String,
        columns: [Column],
        rows: [Row],
        totals: Row? = nil,
        omittedRows: Int = 0,
        emptyText: String = "There is nothing to show."
    ) {
        self.id = id
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.totals = totals
        self.omittedRows = omittedRows
        self.emptyText = emptyText
    }

    /// The table as CSV, RFC 4180, with plain numbers.
    package var csv: String {
        let lines = [columns.map(\.name.csvCell)] + (rows + [totals].compactMap(\.self)).map { $0.cells.map(\.csv) }
        return lines.map { $0.joined(separator: ",") + "\r\n" }.joined()
    }
}

extension PageTable.Cell {
    fileprivate var csv: String {
        switch self {
        case .value(let text, _), .words(let text, _): text.csvCell
        case .count(let number, _): String(number)
        case .share(let share): share?.fixed(places: 4) ?? ""
        case .decimal(let number, let places): number?.fixed(places: places) ?? ""
        case .money(let amount): amount.description
        case .counts(let range): "\(range.lowerBound)–\(range.upperBound)"
        case .shares(let range): "\(range.lowerBound.fixed(places: 4))–\(range.upperBound.fixed(places: 4))"
        case .moment(let milliseconds): Moment(milliseconds: milliseconds).text
        case .compared(let cell, _): cell.csv
        case .blank: ""
        }
    }
}
