import Attribution
import AttributionReports
import AttributionStore
import StrictJSON
import Testing

@Suite("Parameters of reports")
struct ReportRefusalTests {
    /// Invalid parameters of a report.
    struct Case: CustomTestStringConvertible, Sendable {
        let field: String
        let found: String
        let expected: String
        let change: @Sendable (inout ReportParameters) -> Void

        init(
            _ field: String, _ found: String, _ expected: String,
            _ change: @escaping @Sendable (inout ReportParameters) -> Void
        ) {
            (self.field, self.found, self.expected, self.change) = (field, found, expected, change)
        }

        var testDescription: String { "\(field): \(found)" }

        static func filters(_ filters: String..., found: String? = nil, expected: String) -> Case {
            Case("where", found ?? filters[0], expected) { $0.filters = filters }
        }
    }

    static let cases = [
        Case("by", "nonsense", "one of hour, day, week, month, install-days, ") { $0.by = "nonsense" },
        Case("by", "install-days of development postbacks", "another dimension: windows of Developer Mode last minutes")
        {
            ($0.by, $0.provenance) = ("app,install-day", "development")
        },
        Case("by", "campagn", "; did you mean campaign?") { $0.by = "app,campagn" },
        Case("by", "conversion-valeu", "; did you mean conversion-value?") { $0.by = "conversion-valeu" },
        Case("from", "2026-02-30", "a day of the calendar: 2026-02 has 28 days") { $0.from = "2026-02-30" },
        Case("from", "26-02-03", "a day such as 2026-11-09") { $0.from = "26-02-03" },
        Case("from", "1969-12-31", "a year from 1970 on") { $0.from = "1969-12-31" },
        Case("to", "tomorrow", "a day such as 2026-11-09") { $0.to = "tomorrow" },
        Case("to", "yesterdya", "; did you mean yesterday?") { $0.to = "yesterdya" },
        Case("to", "2026-02-01", "a day not before 2026-02-02") { ($0.from, $0.to) = ("2026-02-02", "2026-02-01") },
        Case("period", "2026-13", "a month of the calendar, 01 to 12") { $0.period = "2026-13" },
        Case("period", "2025-W53", "a week of the calendar: 2025 has 52 weeks") { $0.period = "2025-W53" },
        Case("period", "0d", "1d to 36500d, the last days including today") { $0.period = "0d" },
        Case("period", "last-weeks", "; did you mean last-week?") { $0.period = "last-weeks" },
        Case("period", "today together with from or to", "one or the other") {
            ($0.period, $0.to) = ("today", "today")
        },
        Case("time-zone", "Middle/Earth", "UTC or a name of the tz database") { $0.timeZone = "Middle/Earth" },
        Case("time-zone", "Europe/Berlni", "; did you mean Europe/Berlin?") { $0.timeZone = "Europe/Berlni" },
        Case("provenance", "aple", "one of apple, foreign, development, test; did you mean apple?") {
            $0.provenance = "aple"
        },
        Case("columns", "instals", "; did you mean installs?") { $0.columns = "instals" },
        Case("columns", "nothing", "names, for example installs,null-rate") { $0.columns = "," },
        Case("columns", "conversion-values with format csv", "format json or ndjson") {
            ($0.columns, $0.format) = ("conversion-values", .csv)
        },
        Case("sort", "instals", "; did you mean installs?") { $0.sort = "-instals" },
        Case("sort", "network", "a figure or a dimension of the rows; add network to by") { $0.sort = "network" },
        Case("sort", "conversion-values", "a single figure") { $0.sort = "conversion-values" },
        Case("top", "0", "a number of rows, 1 or more") { $0.top = "0" },
        Case("top", "ten", "a number of rows, 1 or more") { $0.top = "ten" },
        Case("as-of", "yesterday", "a position that an earlier report of this store names") { $0.asOf = "yesterday" },
        Case("histogram", "format csv", "table or markdown") { ($0.showsHistogram, $0.format) = (true, .csv) },
        .filters("app", expected: "DIMENSION=VALUE or DIMENSION!=VALUE"),
        .filters("day=2026-01-01", found: "day", expected: "another dimension; period, from and to choose the days"),
        .filters("colour=red", found: "colour", expected: "one of hour, day,"),
        .filters("campaign=1", found: "campaign", expected: "campaign-id or source-identifier"),
        .filters("app=abc", expected: "app to be an App Store id, a number such as 525463029"),
        .filters("app=1,2", expected: "; for several values repeat it: where app=… where app=…"),
        .filters("app=007", expected: "app to be an App Store id"),
        .filters("app=", expected: "app to be a value, because every postback has one"),
        .filters("redownload=yes", expected: "redownload to be one of true, false"),
        .filters("version=4", expected: "version to be one of 1.0, 2.0, 2.1, 2.2, 3.0, 4.0"),
        .filters("framework=skadnetwrok", expected: "; did you mean skadnetwork?"),
        .filters("sequence-index=3", expected: "sequence-index to be one of 0, 1, 2"),
        .filters("campaign-id=x", expected: "campaign-id to be a number"),
        .filters("source-identifier=12345", expected: "one to four digits"),
        .filters("country=de", expected: "two capital letters, such as DE"),
        .filters("conversion-value=64", expected: "0 to 63, low, medium, high, absent, null or invalid"),
        .filters("conversion-value=hihg", expected: "; did you mean high?"),
        .filters("recipient=me", expected: "recipient to be one of network, developer"),
        .filters("app!=x", expected: "app to be an App Store id"),
        .filters("app=1", "app=2", "app!=2", found: "app=2 and app!=2", expected: "one of them"),
    ]

    @Test("An invalid parameter is refused with field, value and expectation", arguments: cases)
    func refusal(_ row: Case) {
        let problem = #expect(throws: FieldProblem.self) { try ReportStores.request("app", row.change) }
        #expect(problem?.field == row.field)
        #expect(problem?.found == row.found)
        #expect(problem?.expected.contains(row.expected) == true, "\(problem?.expected ?? "")")
    }

    /// 2026-11-20 was a Friday.
    static let words: [(String, String, String)] = [
        ("today", "2026-11-20", "2026-11-20"), ("yesterday", "2026-11-19", "2026-11-19"),
        ("1d", "2026-11-20", "2026-11-20"), ("7d", "2026-11-14", "2026-11-20"), ("365d", "2025-11-21", "2026-11-20"),
        ("this-week", "2026-11-16", "2026-11-22"), ("last-week", "2026-11-09", "2026-11-15"),
        ("this-month", "2026-11-01", "2026-11-30"), ("last-month", "2026-10-01", "2026-10-31"),
        ("2026-W46", "2026-11-09", "2026-11-15"), ("2026-W53", "2026-12-28", "2027-01-03"),
        ("2027-W01", "2027-01-04", "2027-01-10"), ("2026-10", "2026-10-01", "2026-10-31"),
        ("2024-02", "2024-02-01", "2024-02-29"), ("2026-11-09", "2026-11-09", "2026-11-09"),
    ]

    @Test("The first and last day of each period", arguments: words)
    func period(_ word: String, _ first: String, _ last: String) throws {
        let now = ReportStores.night[0]
        let period = try ReportStores.request("app", now: now) { $0.period = word }
        #expect([period.from?.description, period.through?.description] == [first, last])
        let from = try ReportStores.request("app", now: now) { $0.from = word }
        #expect([from.from?.description, from.through?.description] == [first, nil])
        let to = try ReportStores.request("app", now: now) { $0.to = word }
        #expect([to.from?.description, to.through?.description] == [nil, last])
    }

    @Test(
        "Periods at the turn of a year", arguments: [("last-month", "2026-12-01"), ("last-week", "2026-12-21")])
    func newYear(_ word: String, _ first: String) throws {
        // 2027-01-01, in the last week of 2026.
        let request = try ReportStores.request("app", now: 1_798_761_600_000) { $0.period = word }
        #expect(request.from?.description == first)
    }

    @Test(
        "Today is the day in the report's time zone",
        arguments: [
            ("UTC", "2026-11-20"), ("Europe/Berlin", "2026-11-21"), ("America/Los_Angeles", "2026-11-20"),
        ])
    func today(_ zone: String, _ day: String) throws {
        let request = try ReportStores.request("app", now: ReportStores.night[0]) {
            ($0.period, $0.timeZone) = ("today", zone)
        }
        #expect(request.from?.description == day)
    }

    @Test("Values of one dimension are alternatives, excluded values are combined, and duplicates are ignored")
    func conditions() throws {
        let request = try ReportStores.request("app") {
            $0.filters = ["app=1", "app=2", "version!=1.0", "app=1", "version!=2.0", "source-app!="]
        }
        #expect(request.conditions.map(\.dimension) == [.app, .version, .sourceApp])
        #expect(request.conditions.map(\.values) == [["1", "2"], ["1.0", "2.0"], [""]])
        #expect(request.conditions.map(\.isExcluded) == [false, true, true])
    }
}
