import Attribution
import AttributionReports
import StrictJSON
import Testing

/// The figures of each test follow from its rows by hand.
@Suite("The report estimates")
struct EstimateReportTests {
    private typealias Postbacks = RevenueReportTests.Postbacks

    private let stores: ReportStores

    init() throws {
        stores = try ReportStores()
    }

    private static let small = ["n.skadnetwork", "13", ""]

    /// 40 first windows with a value, a quarter of which mean no revenue, and 10 of another campaign without one.
    private static let month = [
        Postbacks(day: "2026-03-02", conversion: "1", current: 30, previous: 1),
        Postbacks(day: "2026-03-02", conversion: "0", current: 10),
        Postbacks(day: "2026-03-02", conversion: "null", current: 6, campaign: small),
        Postbacks(day: "2026-03-02", conversion: "absent", current: 4, campaign: small),
        // Too few are like these.
        Postbacks(day: "2026-03-02", sequenceIndex: "1", conversion: "high", current: 3),
        Postbacks(day: "2026-03-02", sequenceIndex: "1", conversion: "absent", current: 2),
        Postbacks(day: "2026-03-02", version: "", conversion: "1", current: 1, isReengagement: true),
        // None of these says anything of a value.
        Postbacks(day: "2026-03-02", version: "1.0", sequenceIndex: "", conversion: "absent", current: 100),
        Postbacks(day: "2026-03-02", conversion: "absent", current: 50, didWin: false),
        Postbacks(day: "2026-03-02", conversion: "invalid", current: 7),
    ]

    private static func texts(_ section: ReportSection?) -> [[String]] {
        (section.map { Array($0.rows) } ?? []).map { $0.cells.map(\.text) }
    }

    @Test("Withheld values have the shares of like ones, with bounds, where enough are like")
    func values() throws {
        let section = try #require(RevenueReportTests.sections(Self.month, of: .estimates)["values"])
        // Of 10, 7.5 and 2.5 are expected; the score interval is 4.28 to 10.25, and -0.25 to 5.72.
        #expect(
            Self.texts(section) == [
                ["1", "install", "window 1", "0", "40", "10", "10", "0.2500", "12.5", "10–16"],
                ["1", "install", "window 1", "1", "40", "10", "30", "0.7500", "37.5", "34–40"],
                ["1", "install", "window 2", "high", "3", "2", "3", "1.0000", "", ""],
                ["1", "re-engagement", "window 1", "1", "1", "0", "1", "1.0000", "", ""],
            ])
        #expect(section.rows.compactMap(\.previous).map { $0[6].count } == [0, 1, 0, 0])
        #expect(section.totals == nil && section.columns.allSatisfy { $0.basis != .signed || $0.kind.isText })
    }

    @Test("Withheld revenue has the mean of like postbacks, and no campaign's revenue is less than what is known")
    func revenue() throws {
        let sections = try RevenueReportTests.sections(Self.month, of: .estimates)
        // The mean of 40 is 0.75 to 2.25, its variance 7.5 ÷ 39 and nine times that; of 10 withheld, 7.5 − 3.0389 and
        // 22.5 + 9.1166.
        #expect(
            Self.texts(sections["campaigns"]) == [
                [
                    "n.skadnetwork", "1", "12", "", "install", "EUR", "43", "2", "0", "60.00", "120.00", "90.00",
                    "60.00", "120.00",
                ],
                [
                    "n.skadnetwork", "1", "13", "", "install", "EUR", "0", "10", "10", "0.00", "0.00", "15.00", "4.46",
                    "31.62",
                ],
                [
                    "n.skadnetwork", "1", "12", "", "re-engagement", "EUR", "1", "0", "0", "1.00", "3.00", "2.00",
                    "1.00", "3.00",
                ],
            ])
        #expect(
            Self.texts(sections["apps"]) == [
                ["1", "install", "EUR", "43", "12", "10", "60.00", "120.00", "105.00", "64.46", "151.62"],
                ["1", "re-engagement", "EUR", "1", "0", "0", "1.00", "3.00", "2.00", "1.00", "3.00"],
            ])
    }

    @Test(
        "The score interval is rounded outward, stays within what is withheld, and becomes Wilson's",
        arguments: [
            // 384.16 (100 + d)(100 − d) ÷ 200 … d² = 188.46 for x = m = 100 ÷ 2: 50 ± 13.73.
            (50, 100, 100, 36...64), (1, 100, 10, 0...1), (100, 100, 10, 9...10), (0, 5, 3, 0...2), (7, 9, 0, 0...0),
            (0, 0, 5, 0...0), (10, 100, 1_000_000_000, 55_228_538...174_367_308),
        ] as [(Int64, Int64, Int64, ClosedRange<Int64>)])
    func interval(_ count: Int64, _ known: Int64, _ withheld: Int64, _ bounds: ClosedRange<Int64>) {
        #expect(Estimation.bounds(of: count, among: known, withheld: withheld) == bounds)
    }

    @Test("The method is printed with the report, and with no other", arguments: StandardReportName.allCases)
    func method(_ name: StandardReportName) async throws {
        let request = try SampleFigures.request(name) { $0.selection.provenance = "test" }
        let report = try await stores.reporter(at: ReportStores.night).report(request)
        for format in [ReportFormat.table, .json, .markdown, .html] {
            #expect(report.rendered(as: format).contains("Method: estimates") == (name == .estimates), "\(format)")
        }
        #expect(name != .estimates || report.notes.contains(Estimation.method))
    }
}
