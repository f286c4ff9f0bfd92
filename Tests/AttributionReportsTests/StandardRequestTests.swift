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
            ("", nil, nil, .json, false, "name", "one of overview, performance"),
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

@Suite("Apple's delays and data tiers as bounds")
struct StandardRuleTests {
    /// Ten first postbacks of one day, and until when everything was counted, in hours after the day's begin.
    @Test(
        "The postback of a window can have arrived from its first chance on, and must have after its last",
        arguments: [
            // The first chance of a second postback is a day before the first one.
            ("1", 0, 0...10), ("1", 24 + 287, 0...10), ("1", 24 + 288, 10...10),
            ("2", 95, 0...0), ("2", 96, 0...10), ("2", 24 + 959, 0...10), ("2", 24 + 960, 10...10),
            ("0", 0, 10...10),
        ] as [(String, Int64, ClosedRange<Int64>)])
    func arrival(_ window: String, _ hours: Int64, _ bounds: ClosedRange<Int64>) throws {
        let request = try SampleFigures.request(.windows)
        var counts = Counts()
        counts.count(
            CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: false, conversion: .absent), times: 10)
        let start = request.today.start(in: .gmt)
        let figures = StandardReportFigures(
            request: request, days: [request.today: counts], daysOfWindows: [request.today: counts],
            recordedAtMilliseconds: start + hours * 3_600_000)
        let sections = StandardReportPlan(.windows).sections(figures)
        #expect(sections[0].cell("can-have-arrived", window) == .counts(bounds))
        #expect(sections[0].cell("share-arrivable", window) == .shares(bounds, of: 10))
        if window == "1" {
            #expect(sections[1].cell("second-can-have-arrived", request.today.description) == .counts(bounds))
        }
    }

    /// A postback, which of the three questions it is an answer of (all, without source, and with two digits besides),
    /// and its tiers.
    private static func row(
        _ conversion: Conversion,
        sequence: Int64 = 0,
        didWin: Bool = true,
        source: Bool,
        digits: Int,
        _ tiers: ClosedRange<Int64>,
        _ signedTiers: ClosedRange<Int64>,
        isReengagement: Bool = false
    ) -> (traits: CountedTraits, answers: [Bool], tiers: ClosedRange<Int64>, signedTiers: ClosedRange<Int64>) {
        let traits = CountedTraits(
            didWin: didWin, sequenceIndex: sequence, isRedownload: false, isReengagement: isReengagement,
            conversion: conversion)
        return (traits, [true, !source, !source && digits == 2], tiers, signedTiers)
    }

    @Test(
        "A postback shows a bound of its tier, and what is not signed is told apart",
        arguments: [
            row(.fine(5), source: true, digits: 4, 3...3, 3...3),
            row(.null, source: true, digits: 2, 3...3, 3...3),
            row(.fine(0), source: false, digits: 3, 2...2, 2...2),
            row(.fine(0), source: false, digits: 2, 2...2, 0...2),
            row(.coarse(.low), source: false, digits: 2, 1...1, 0...2),
            row(.coarse(.low), source: false, digits: 4, 2...2, 2...2),
            row(.absent, source: false, digits: 2, 0...2, 0...2),
            row(.invalid, source: false, digits: 2, 0...2, 0...2),
            row(.null, source: false, digits: 4, 2...2, 2...2),
            row(.null, source: false, digits: 4, 2...2, 2...2, isReengagement: true),
            row(.coarse(.high), sequence: 1, source: false, digits: 2, 1...3, 1...3),
            row(.absent, sequence: 2, source: false, digits: 2, 1...3, 1...3),
            row(.coarse(.high), sequence: 1, source: false, digits: 2, 1...3, 1...3, isReengagement: true),
            row(.absent, didWin: false, source: false, digits: 2, 0...3, 0...3),
            row(.absent, didWin: false, source: false, digits: 4, 2...3, 2...3),
        ])
    func tiers(
        _ traits: CountedTraits, _ answers: [Bool], _ tiers: ClosedRange<Int64>, _ signedTiers: ClosedRange<Int64>
    ) throws {
        var one = Counts()
        one.count(traits)
        let answers = answers.map { isCounted in
            BreakdownRows([.init(values: [], current: isCounted ? one : Counts(), previous: nil)])
        }
        let request = try SampleFigures.request(.tiers)
        let sections = StandardReportPlan(.tiers).sections(
            StandardReportFigures(request: request, days: [request.today: one], breakdowns: answers))
        let rows = sections[1].rows
        #expect(rows.count == 1)
        let cells = zip(sections[1].columns.map(\.name), rows.first?.cells ?? [])
        let named = Dictionary(uniqueKeysWithValues: cells.map { ($0, $1) })
        #expect(named["tier"] == .counts(tiers) && named["signed-tier"] == .counts(signedTiers))
        #expect(named["postbacks"] == .count(1))
        for tier in Int64(0)...3 {
            let lower: Int64 = tiers == tier...tier ? 1 : 0
            let upper: Int64 = tiers.contains(tier) ? 1 : 0
            #expect(sections[0].cell("postbacks", String(tier)) == .counts(lower...upper))
        }
    }
}
