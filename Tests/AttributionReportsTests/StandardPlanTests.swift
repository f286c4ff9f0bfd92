import Attribution
import AttributionReports
import Foundation
import Testing

@Suite("The sections of standard reports")
struct StandardPlanTests {
    static let reports = StandardReportName.allCases

    private static func compared(_ name: StandardReportName) throws -> [ReportSection] {
        SampleFigures.sections(try SampleFigures.request(name) { $0.selection.period = "7d" })
    }

    @Test("Sections are those of the plan; every column has a name and a definition, texts first", arguments: reports)
    func columns(_ name: StandardReportName) throws {
        let sectionNames = StandardReportPlan(name).sectionNames
        #expect(try Self.compared(name).map(\.name) == sectionNames && Set(sectionNames).count == sectionNames.count)
        for section in try Self.compared(name) {
            let names = section.columns.map(\.name)
            #expect(Set(names).count == names.count, "\(section.name)")
            #expect(section.columns.allSatisfy { $0.definition.hasSuffix(".") && !$0.title.isEmpty }, "\(section.name)")
            let texts = section.columns.prefix { $0.kind.isText }
            #expect(!texts.isEmpty && section.columns.dropFirst(texts.count).allSatisfy { !$0.kind.isText })
            for row in section.rows + [section.totals].compactMap(\.self) {
                #expect(row.cells.count == names.count && row.previous.map { $0.count == names.count } ?? true)
            }
            if case .bars(let category, let value) = section.chart {
                #expect(names.contains(category) && names.contains(value), "\(section.name)")
            }
        }
    }

    @Test("The denominator of every rate is a column, compared where the rate is", arguments: reports)
    func denominators(_ name: StandardReportName) throws {
        for section in try Self.compared(name) {
            for column in section.columns where [.share, .mean, .shares].contains(column.kind) {
                let denominator = section.columns.first { $0.name == column.denominator }
                #expect(denominator?.kind == .count, "\(section.name) \(column.name)")
                #expect(!column.isCompared || denominator?.isCompared == true, "\(section.name) \(column.name)")
                for row in section.rows {
                    let index = try #require(section.columns.firstIndex { $0.name == column.name })
                    let other = try #require(section.columns.firstIndex { $0.name == column.denominator })
                    switch (row.cells[index], row.cells[other]) {
                    case (.share(_, let whole), .count(let count)), (.mean(_, let whole), .count(let count)),
                        (.shares(_, let whole), .count(let count)):
                        #expect(whole == count && whole > 0)
                    case (.absent, .count(let count)): #expect(count == 0)
                    default: Issue.record("\(section.name) \(column.name): \(row.cells[index])")
                    }
                }
            }
        }
    }

    @Test("Totals are the sum of the rows, of both periods", arguments: reports)
    func totals(_ name: StandardReportName) throws {
        for section in try Self.compared(name) where section.name != "state" {
            guard let totals = section.totals else {
                continue
            }
            for (index, column) in section.columns.enumerated() where column.isSum {
                #expect(
                    section.rows.map { $0.cells[index] }.sum == [totals.cells[index]].sum,
                    "\(section.name) \(column.name)")
                guard column.isCompared, let previous = totals.previous else {
                    continue
                }
                #expect(
                    section.rows.compactMap { $0.previous?[index] }.sum == [previous[index]].sum,
                    "\(section.name) \(column.name)")
            }
        }
    }

    @Test("Without a first day nothing is compared, and with it everything is", arguments: reports)
    func comparison(_ name: StandardReportName) throws {
        let compared = try Self.compared(name)
        #expect(compared.allSatisfy { $0.isCompared || $0.rows.isEmpty })
        for period in [nil, "7d"] {
            let request = try SampleFigures.request(name) {
                ($0.selection.period, $0.isCompared) = (period, period == nil)
            }
            let sections = SampleFigures.sections(request)
            #expect(!sections.contains { $0.isCompared })
        }
    }

    @Test("Nothing at all makes sections, too", arguments: reports)
    func empty(_ name: StandardReportName) throws {
        let request = try SampleFigures.request(name) { $0.selection.period = "7d" }
        let plan = StandardReportPlan(name)
        let figures = StandardReportFigures(
            request: request, breakdowns: plan.breakdowns.map { _ in BreakdownRows([]) },
            deliveries: plan.hasDeliveries ? (DeliveryCounts(), DeliveryCounts()) : nil)
        let sections = plan.sections(figures)
        #expect(sections.map(\.name) == plan.sectionNames)
        for section in sections {
            for cell in section.rows.flatMap(\.cells) {
                if case .share(_, let whole) = cell { #expect(whole != 0) }
            }
        }
    }

    @Test("Rows without an install of either period are left out, and --top shows the greatest")
    func top() throws {
        let request = try SampleFigures.request(.campaigns) {
            $0.selection.period = "7d"
            $0.selection.top = "2"
        }
        let section = try #require(SampleFigures.sections(request).first)
        #expect(section.rows.map { $0.cells[0] } == [.key("333"), .key("22")] && section.omittedRows == 2)
        let all = try #require(try Self.compared(.campaigns).first)
        #expect(section.totals == all.totals && all.rows.count == 4)
    }

    @Test("Null and absent are rows of their own, and none of them is the value 0")
    func conversions() throws {
        let request = try SampleFigures.request(.conversions)
        var counts = Counts()
        for conversion in [Conversion.absent, .null, .null, .invalid, .fine(0), .fine(0), .fine(0)] {
            counts.count(CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: false, conversion: conversion))
        }
        let figures = StandardReportFigures(request: request, days: [request.today: counts])
        let sections = StandardReportPlan(.conversions).sections(figures)
        let values = try #require(sections.first { $0.name == "values" })
        #expect(values.rows.map { $0.cells[0] } == ["absent", "null", "invalid", "0"].map(ReportCell.key))
        #expect(values.cell("installs", "absent") == .count(1) && values.cell("installs", "null") == .count(2))
        #expect(values.cell("installs", "0") == .count(3) && values.cell("share", "0") == .share(3, of: 7))
        let kinds = try #require(sections.first { $0.name == "kinds" })
        #expect(kinds.cell("installs", "fine") == .count(3) && kinds.cell("installs", "coarse") == .count(0))
    }

    @Test("Days without postbacks are rows of 0, beside the day as many days before")
    func days() throws {
        let request = try SampleFigures.request(.overview) { $0.selection.period = "3d" }
        let today = request.today
        let figures = StandardReportFigures(
            request: request,
            days: [today: SampleFigures.counts(1), today.advanced(by: -4): SampleFigures.counts(2)],
            breakdowns: [BreakdownRows([]), BreakdownRows([])])
        let section = try #require(StandardReportPlan(.overview).sections(figures).first { $0.name == "days" })
        let installs = try #require(section.columns.firstIndex { $0.name == "installs" })
        #expect(section.rows.map { $0.cells[0] } == (-2...0).map { .key(today.advanced(by: $0).description) })
        let (one, two) = (SampleFigures.counts(1)[.installs], SampleFigures.counts(2)[.installs])
        #expect(section.rows.map { $0.cells[installs] } == [.count(0), .count(0), .count(one)])
        #expect(section.rows.map { $0.previous?[installs] } == [.count(0), .count(two), .count(0)])
    }
}

extension [ReportCell] {
    /// The sum of counts and of bounds; nothing else adds up.
    fileprivate var sum: [Int64] {
        reduce(into: [0, 0]) { sum, cell in
            switch cell {
            case .count(let count): sum[0] += count
            case .counts(let bounds):
                sum[0] += bounds.lowerBound
                sum[1] += bounds.upperBound
            default: break
            }
        }
    }
}
