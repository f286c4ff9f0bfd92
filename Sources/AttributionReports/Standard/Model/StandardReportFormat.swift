/// The format of a standard report.
package enum StandardReportFormat: String, CaseIterable, Hashable, Sendable {
    /// Aligned columns for a terminal.
    case table
    /// The rows of one section with a header line, RFC 4180.
    case csv
    /// One object with `schema` and `sections`.
    case json
    /// One object per line: report, section, row and totals, distinguished by `type`.
    case ndjson
    /// Markdown tables.
    case markdown
    /// A document of its own, without scripts and without anything to load.
    case html
}
