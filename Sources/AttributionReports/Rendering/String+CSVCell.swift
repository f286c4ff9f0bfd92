import Foundation

extension String {
    /// The text as a CSV cell, RFC 4180, that spreadsheets do not interpret as a formula.
    package var csvCell: String {
        let needsQuotes = utf8.contains { "\",\r\n".utf8.contains($0) }
        // Ids and domains never begin like this; hostile values might.
        let isFormula = first.map { "=+-@".contains($0) } ?? false && Double(self) == nil
        let safe = isFormula ? "'" + self : self
        return needsQuotes ? "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : safe
    }
}
