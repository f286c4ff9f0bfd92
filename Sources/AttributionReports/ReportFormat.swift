/// The forms a report is written in.
public enum ReportFormat: String, CaseIterable, Hashable, Sendable {
    /// Aligned columns for a terminal.
    case table
    /// Rows with a header line, RFC 4180; whoever writes them says ``Report/deliverySummary`` beside them.
    case csv
    /// One object with `schema`, `rows`, `totals`, `deliveries`.
    case json
    /// One object a line: rows, then totals, then deliveries, told apart by `type`.
    case ndjson
    /// Tables for a document.
    case markdown
}
