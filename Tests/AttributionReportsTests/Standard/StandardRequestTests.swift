import Attribution
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import Testing

@Suite("Requests for standard reports")
struct StandardRequestTests {
    /// Today is 2026-11-23, a Monday.
    @Test(
        "The previous period has as many days as the period has until today",
        arguments: [
            ("this-month", nil, nil, "2026-11-01 2026-11-23", "2026-10-09 2026-10-31"),
            ("last-month", nil, nil, "2026-10-01 2026-10-31", "2026-08-31 2026-09-30"),
            ("this-week", nil, nil, "2026-11-23 2026-11-23", "2026-11-22 2026-11-22"),
            ("7d", nil, nil, "2026-11-17 2026-11-23", "2026-11-10 2026-11-16"),
            ("today", nil, nil, "2026-11-23 2026-11-23", "2026-11-22 2026-11-22"),
            (nil, "2026-11-20", nil, "2026-11-20 2026-11-23", "2026-11-16 2026-11-19"),
            (nil, "2026-11-20", "2026-12-31", "2026-11-20 2026-11-23", "2026-11-16 2026-11-19"),
            // Simulated days may all be in the future.
            (nil, "2026-12-01", "2026-12-02", "2026-12-01 2026-12-02", "2026-11-29 2026-11-30"),
            (nil, "2026-12-01", nil, "2026-12-01 2026-12-01", "2026-11-30 2026-11-30"),
            (nil, nil, "2026-11-20", nil, nil), (nil, nil, nil, nil, nil),
        ] as [(String?, String?, String?, String?, String?)])
    func previous(_ period: String?, _ from: String?, _ to: String?, _ current: String?, _ previous: String?) throws {
        let request = try SampleFigures.request(.overview) {
            ($0.selection.period, $0.selection.from, $0.selection.to) = (period, from, to)
        }
        #expect(request.period.map { "\($0.first) \($0.last)" } == current)
        #expect(request.previous.map { "\($0.first) \($0.last)" } == previous)
        #expect(request.previous?.count == request.period?.count)
    }

    @Test("Clocks that change make no difference to the number of days")
    func zones() throws {
        let request = try SampleFigures.request(.overview) {
            ($0.selection.timeZone, $0.selection.from, $0.selection.to) = ("Europe/Berlin", "2026-10-25", "2026-10-25")
        }
        #expect(request.previous?.first.description == "2026-10-24" && request.previous?.count == 1)
    }

    @Test(
        "What cannot be reported is refused with what is expected",
        arguments: [
            ("overviw", nil, nil, .json, false, "name", "did you mean overview?"),
            ("", nil, nil, .json, false, "name", "one of overview, campaigns"),
            ("wins", "contries", nil, .json, false, "section", "did you mean countries?"),
            ("wins", nil, nil, .csv, false, "section", "one of days, apps, fidelity, countries, sources"),
            ("campaigns", nil, nil, .csv, true, "explain", "another format"),
            ("delivery", nil, "app=1", .json, false, "where", "no filter"),
            ("costs", nil, "campaign-id=1", .json, false, "where", "network or app"),
            ("wins", nil, "app=x", .json, false, "where", "an App Store id"),
        ] as [(String, String?, String?, ReportFormat, Bool, String, String)])
    func refusals(
        _ name: String,
        _ section: String?,
        _ filter: String?,
        _ format: ReportFormat,
        _ isExplained: Bool,
        _ field: String,
        _ expected: String
    ) throws {
        var parameters = StandardReportParameters()
        (parameters.name, parameters.section, parameters.format) = (name, section, format)
        parameters.isExplained = isExplained
        parameters.selection.filters = filter.map { [$0] } ?? []
        let problem = try #require(throws: FieldProblem.self) {
            try StandardReportRequest(parameters, nowMilliseconds: SampleFigures.now)
        }
        #expect(problem.field == field && problem.expected.contains(expected), "\(problem)")
    }
}
