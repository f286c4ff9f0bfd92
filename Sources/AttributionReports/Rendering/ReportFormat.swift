/// The format of a report.
package enum ReportFormat: String, CaseIterable, Hashable, Sendable {
    /// Aligned columns for a terminal, as many as fit into its width.
    case table
    /// Rows with a header line, RFC 4180; callers print ``Report/remarks(_:)`` separately.
    case csv
    /// One object with `schema`, `rows`, `totals`, `deliveries`.
    case json
    /// One object per line: request, rows, totals and deliveries, distinguished by `type`.
    case ndjson
    /// A Markdown table.
    case markdown

    /// Whether a value can be an object, as histograms need.
    var hasObjects: Bool {
        self == .json || self == .ndjson
    }

    /// Whether histograms can be shown as bars.
    var hasBars: Bool {
        self == .table || self == .markdown
    }
}
