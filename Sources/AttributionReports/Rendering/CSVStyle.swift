import Foundation

/// How a table is written as CSV, for the program that opens it.
package struct CSVStyle: Hashable, Sendable {
    /// What is between cells.
    package enum Delimiter: String, CaseIterable, Hashable, Sendable {
        case comma = ","
        case semicolon = ";"
        case tab

        /// The character.
        var text: String {
            self == .tab ? "\t" : rawValue
        }
    }

    /// What is before the decimal places of a figure.
    package enum DecimalMark: String, CaseIterable, Hashable, Sendable {
        case point = "."
        case comma = ","
    }

    let delimiter: Delimiter
    /// Not the delimiter, for figures have no quotes.
    let decimalMark: DecimalMark
    /// Whether the file begins with a byte order mark, without which Excel does not read UTF-8.
    let hasByteOrderMark: Bool

    /// Creates a style, by default that of RFC 4180; nil if the decimal mark is the delimiter.
    package init?(delimiter: Delimiter?, decimalMark: DecimalMark?, hasByteOrderMark: Bool) {
        guard delimiter ?? .comma != .comma || decimalMark != .comma else {
            return nil
        }
        self.init(delimiter ?? .comma, decimalMark ?? .point, hasByteOrderMark)
    }

    private init(_ delimiter: Delimiter, _ decimalMark: DecimalMark, _ hasByteOrderMark: Bool) {
        (self.delimiter, self.decimalMark, self.hasByteOrderMark) = (delimiter, decimalMark, hasByteOrderMark)
    }

    /// RFC 4180.
    package static let standard = CSVStyle(.comma, .point, false)

    /// A text as a cell that spreadsheets do not interpret as a formula.
    func cell(_ text: String) -> String {
        let delimiter = delimiter.text.utf8.first
        let needsQuotes = text.utf8.contains { $0 == delimiter || "\"\r\n".utf8.contains($0) }
        // Ids and domains never begin like this; hostile values might.
        let isFormula = text.first.map { "=+-@".contains($0) } ?? false && Double(text) == nil
        let safe = isFormula ? "'" + text : text
        return needsQuotes ? "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : safe
    }

    /// A figure as a cell.
    func figure(_ text: String) -> String {
        decimalMark == .point ? text : text.replacing(".", with: decimalMark.rawValue)
    }
}

extension String {
    /// The text as a CSV cell, RFC 4180, that spreadsheets do not interpret as a formula.
    package var csvCell: String {
        CSVStyle.standard.cell(self)
    }
}
