/// The parameters of a report as typed, on a command line or in a URL.
package struct ReportParameters: Sendable {
    /// Comma-separated names of dimensions; `campaign` and `source` stand for both of theirs, an empty text for totals
    /// alone.
    package var by = "network,app,campaign"
    /// `DIMENSION=VALUE` or `DIMENSION!=VALUE`; an empty value stands for postbacks that carry none.
    package var filters: [String] = []
    /// The days of receipt, as a word such as `last-week`; nil when ``from`` and ``to`` choose them.
    package var period: String?
    /// The first day of receipt, or a word for some days, of which it is the first.
    package var from: String?
    /// The last day of receipt, included, or a word for some days, of which it is the last.
    package var to: String?
    /// `UTC` or a name of the tz database.
    package var timeZone = "UTC"
    /// `apple`, `foreign`, `development` or `test`: which numbers are reported.
    package var provenance = "apple"
    /// Comma-separated names of figures; nil for all.
    package var columns: String?
    /// What the rows are sorted by, `-` before it for the greatest first; nil for the order of the dimensions.
    package var sort: String?
    /// How many rows; nil for all.
    package var top: String?
    /// A position an earlier report names, to count what had been recorded then; nil for everything.
    package var asOf: String?
    /// Whether the conversion values follow the table as bars.
    package var showsHistogram = false
    /// What it is written as.
    package var format = ReportFormat.table

    /// The parameters of a report that nothing is said about.
    package init() {}
}
