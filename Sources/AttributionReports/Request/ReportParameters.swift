/// The parameters of a report as typed, on a command line or in a URL.
public struct ReportParameters: Sendable {
    /// Comma-separated names of dimensions; `campaign` and `source` stand for both of theirs, an empty text for totals
    /// alone.
    public var by = "network,app,campaign"
    /// `DIMENSION=VALUE` or `DIMENSION!=VALUE`; an empty value stands for postbacks that carry none.
    public var filters: [String] = []
    /// The days of receipt, as a word such as `last-week`; nil when ``from`` and ``to`` choose them.
    public var period: String?
    /// The first day of receipt, or a word for some days, of which it is the first.
    public var from: String?
    /// The last day of receipt, included, or a word for some days, of which it is the last.
    public var to: String?
    /// `UTC` or a name of the tz database.
    public var timeZone = "UTC"
    /// `apple`, `foreign`, `development` or `test`: which numbers are reported.
    public var provenance = "apple"
    /// Comma-separated names of figures; nil for all.
    public var columns: String?
    /// What the rows are sorted by, `-` before it for the greatest first; nil for the order of the dimensions.
    public var sort: String?
    /// How many rows; nil for all.
    public var top: String?
    /// A position an earlier report names, to count what had been recorded then; nil for everything.
    public var asOf: String?
    /// Whether the conversion values follow the table as bars.
    public var showsHistogram = false
    /// What it is written as.
    public var format = ReportFormat.table

    /// The parameters of a report that nothing is said about.
    public init() {}
}
