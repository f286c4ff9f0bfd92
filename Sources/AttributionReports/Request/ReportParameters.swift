/// The parameters of a report as text, from a command line or a URL.
package struct ReportParameters: Sendable {
    /// Comma-separated names of dimensions; `campaign` and `source` each stand for two dimensions, and an empty text
    /// for totals only.
    package var by = "network,app,campaign"
    /// `DIMENSION=VALUE` or `DIMENSION!=VALUE`; an empty value matches postbacks without one.
    package var filters: [String] = []
    /// The days of receipt, such as `last-week`; nil if ``from`` and ``to`` define them.
    package var period: String?
    /// The first day of receipt, or a period that begins with it.
    package var from: String?
    /// The last day of receipt, inclusive, or a period that ends with it.
    package var to: String?
    /// `UTC` or a name of the tz database.
    package var timeZone = "UTC"
    /// The traffic to report: `apple`, `foreign`, `development` or `test`.
    package var provenance = "apple"
    /// Comma-separated names of figures; nil for all.
    package var columns: String?
    /// What to sort the rows by, with `-` before it for descending; nil for the order of the dimensions.
    package var sort: String?
    /// The maximum number of rows; nil for all.
    package var top: String?
    /// The position of an earlier report, up to which to count; nil for everything.
    package var asOf: String?
    /// Whether to show the conversion values as bars below the table.
    package var showsHistogram = false
    /// The format of the report.
    package var format = ReportFormat.table

    /// Creates the default parameters.
    package init() {}
}
