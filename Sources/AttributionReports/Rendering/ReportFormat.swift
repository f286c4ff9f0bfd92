/// The forms a report is written in.
package enum ReportFormat: String, CaseIterable, Hashable, Sendable {
    /// Aligned columns for a terminal, as many as its width has room for.
    case table
    /// Rows with a header line, RFC 4180; whoever writes them says ``Report/words(_:)`` beside them.
    case csv
    /// One object with `schema`, `rows`, `totals`, `deliveries`.
    case json
    /// One object a line: what was asked, rows, totals, deliveries, told apart by `type`.
    case ndjson
    /// Tables for a document.
    case markdown

    /// Whether a cell can hold an object, as histograms need.
    var hasObjects: Bool {
        self == .json || self == .ndjson
    }

    /// Whether a histogram can follow as bars.
    var hasBars: Bool {
        self == .table || self == .markdown
    }
}
