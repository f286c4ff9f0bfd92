import Attribution
import AttributionReports
import Foundation
import StrictJSON
import Testing

/// The figures of each test follow from its rows by hand.
@Suite("The report revenue")
struct RevenueReportTests {
    static let schemas = """
        {"version": 1, "schemas": [
          {"app": 1, "from": "2025-01-01", "currency": "EUR", "fine": [
            {"value": 0, "events": ["launch"]}, {"value": 1, "events": ["buy"], "revenue": {"low": 1, "high": 3}}],
           "coarse": {"2": {"high": {"events": ["buy"], "revenue": 10}}}},
          {"app": 1, "from": "2026-03-10", "currency": "EUR", "fine": [
            {"value": 0, "events": ["launch"]}, {"value": 1, "events": ["buy"], "revenue": {"low": 2, "high": 5}}]},
          {"app": 2, "from": "2025-01-01", "currency": "USD", "fine": [
            {"value": 1, "events": ["buy"], "revenue": 999999999999}]},
          {"app": 3, "from": "2025-01-01", "currency": "USD", "fine": [{"value": 1, "events": ["buy"]}]},
          {"app": 3, "from": "2026-03-10", "currency": "USD", "fine": [{"value": 1, "events": ["buy"]}]}
        ]}
        """

    /// Postbacks of one kind that arrived on one day, in the period or the previous one.
    struct Postbacks {
        let day: String
        var app = "1"
        var version = "4.0"
        var sequenceIndex = "0"
        let conversion: String
        var current: Int64 = 0
        var previous: Int64 = 0
        var didWin: Bool? = true
        var isReengagement = false
        var campaign = ["n.skadnetwork", "12", ""]
    }

    /// The sections of the report on some postbacks.
    static func sections(
        _ postbacks: [Postbacks], of name: StandardReportName = .revenue
    ) throws -> [String: ReportSection] {
        let schemas = try ConversionSchemas(documents: [("a.json", Array(schemas.utf8))])
        let plan = StandardReportPlan(name, ReportReferences(schemas: schemas))
        let cuts = try #require(plan.breakdowns.first?.cuts)
        let rows = try postbacks.map { row in
            let start = try #require(CalendarDay(row.day)).start(in: .gmt)
            let traits = CountedTraits(
                didWin: row.didWin, sequenceIndex: Int64(row.sequenceIndex), isRedownload: false,
                isReengagement: row.isReengagement, conversion: try #require(Conversion(row.conversion)))
            var (current, previous) = (Counts(), Counts())
            current.count(traits, times: row.current)
            previous.count(traits, times: row.previous)
            return StandardReportFigures.Row(
                values: [
                    String(cuts.count { $0 <= start }), row.campaign[0], row.app, row.campaign[1], row.campaign[2],
                    row.version, row.sequenceIndex, row.conversion,
                ], current: current, previous: previous)
        }
        let request = StandardReportRequest(
            name: name,
            selection: ReportRequest(from: CalendarDay("2026-03-01"), through: CalendarDay("2026-03-31")),
            nowMilliseconds: 1_790_000_000_000)
        let figures = StandardReportFigures(request: request, breakdowns: [BreakdownRows(rows)])
        let sections = plan.sections(figures)
        #expect(sections.map(\.name) == plan.sectionNames)
        return Dictionary(uniqueKeysWithValues: sections.map { ($0.name, $0) })
    }

    /// The rows of a section as text, the previous period after a bar.
    static func lines(_ section: ReportSection?) -> [String] {
        (section.map { Array($0.rows) } ?? []).map { row in
            let cells = row.cells.map(\.text).joined(separator: " ")
            return row.previous.map { "\(cells) | \($0.map(\.text).joined(separator: " "))" } ?? cells
        }
    }

    static let month = [
        Postbacks(day: "2026-03-02", conversion: "1", current: 10),
        Postbacks(day: "2026-03-15", conversion: "1", current: 2, previous: 1),
        Postbacks(day: "2026-03-15", conversion: "0", current: 4),
        Postbacks(day: "2026-03-15", conversion: "null", current: 5),
        Postbacks(day: "2026-03-15", conversion: "absent", current: 6),
        Postbacks(day: "2026-03-15", conversion: "63", current: 7),
        Postbacks(day: "2026-03-05", sequenceIndex: "1", conversion: "high", current: 3),
        Postbacks(
            day: "2026-03-05", version: "3.0", sequenceIndex: "", conversion: "null", current: 100,
            didWin: false),
        Postbacks(day: "2026-03-28", version: "", conversion: "1", current: 1, isReengagement: true),
        Postbacks(day: "2026-03-05", app: "9", conversion: "1", current: 8),
    ]

    @Test("Revenue is bounded by the schemas of the day, and postbacks without it are not revenue 0")
    func totals() throws {
        let section = try Self.sections(Self.month)["totals"]
        // 10 × 1…3, 2 × 1…5 in the band, 3 × 10; 4 + 5 + 6 + 7 + 8 without revenue.
        #expect(
            Self.lines(section) == [
                "install EUR 15 2 42.00 56.00 70.00 | install EUR 1 1 1.00 3.00 5.00",
                "re-engagement EUR 1 0 2.00 3.50 5.00 | re-engagement EUR 0 0 0.00 0.00 0.00",
                "install  30     | install  0    ",
            ])
    }

    @Test("Each postback of a winner has one outcome")
    func outcomes() throws {
        let section = try #require(Self.sections(Self.month)["outcomes"])
        let names = section.columns.map(\.name)
        #expect(
            names == [
                "app", "revenue", "between", "events-only", "undecided", "unmapped", "without-schema", "null", "absent",
                "invalid", "postbacks",
            ])
        #expect(
            section.rows.map { $0.cells.map(\.text) } == [
                ["1", "14", "2", "4", "0", "7", "0", "5", "6", "0", "38"],
                ["9", "0", "0", "0", "0", "0", "8", "0", "0", "0", "8"],
            ])
        #expect(section.totals?.cells.last?.text == "46")
    }

    @Test("Windows are counted apart, and events with the bounds of the band")
    func windows() throws {
        let sections = try Self.sections(Self.month)
        #expect(Self.lines(sections["windows"]).contains { $0.hasPrefix("install 2 EUR 3 0 30.00 30.00 30.00") })
        #expect(
            Self.lines(sections["events"]).map { $0.split(separator: " |")[0] } == ["1 buy 16", "1 launch 4"])
    }

    @Test("A change is shown with its days where postbacks arrived in between, and for no other app")
    func changes() throws {
        let section = try Self.sections(Self.month)["changes"]
        let band =
            "1 2026-03-10 2025-01-01 to 2026-03-09 from 2026-03-10 on window 1 2026-03-11 2026-03-22"
        #expect(
            Self.lines(section) == [
                "\(band) 24 | \(band) 1"
            ])
    }

    @Test("Currencies are never added, and what does not fit says so in every format")
    func currencies() throws {
        let much = Postbacks(
            day: "2026-03-02", app: "2", version: "3.0", sequenceIndex: "", conversion: "1", current: 10_000_000)
        let sections = try Self.sections([Self.month[0], much])
        let totals = try #require(sections["totals"])
        #expect(
            Self.lines(totals).map { $0.split(separator: " |")[0] } == [
                "install EUR 10 0 10.00 20.00 30.00",
                "install USD 10000000 0 >9223372036854.775807 >9223372036854.775807 >9223372036854.775807",
            ])
        #expect(totals.totals == nil)
        #expect(totals.notes.contains { $0.contains("Amounts with >") })
        #expect(totals.rows[1].cells[4].json.line == "\">9223372036854.775807\"")
        #expect(totals.rows[0].cells[5].json.line == "\"20.00\"")
    }

    @Test("Without schemas there is no revenue, and the report says why")
    func noSchemas() throws {
        let plan = StandardReportPlan(.revenue)
        let request = StandardReportRequest(name: .revenue, nowMilliseconds: 0)
        let sections = plan.sections(StandardReportFigures(request: request, breakdowns: [BreakdownRows([])]))
        #expect(sections.first?.notes.contains { $0.hasPrefix("No schema is known") } == true)
    }
}
