import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import Testing

@Suite("Standard reports of a store")
struct StandardReporterTests {
    let stores: ReportStores

    init() throws {
        stores = try ReportStores()
    }

    private static func request(
        _ name: StandardReportName,
        _ change: (inout StandardReportParameters) -> Void = { _ in }
    ) throws -> StandardReportRequest {
        try SampleFigures.request(name) { parameters in
            parameters.selection.provenance = "test"
            parameters.selection.period = "3d"
            change(&parameters)
        }
    }

    /// A postback on each of the last seven days, of two networks by turns.
    private func reporter() throws -> Reporter {
        try stores.reporter(at: (0..<7).map { SampleFigures.now - $0 * SampleFigures.day }) { draft, index in
            draft[.adNetworkID] = .string(index.isMultiple(of: 2) ? "even.skadnetwork" : "odd.skadnetwork")
            draft[.campaignID] = .integer(index.isMultiple(of: 2) ? 1 : 2)
            draft[.sourceAppID] = .integer(7)
        }
    }

    private func installs(_ report: StandardReport, _ name: String) throws -> (ReportCell?, ReportCell?) {
        let section = try #require(report.sections.first { $0.name == name })
        let index = try #require(section.columns.firstIndex { $0.name == "installs" })
        return (section.totals?.cells[index], section.totals?.previous?[index])
    }

    @Test("Both periods are those of plain reports of their days")
    func periods() async throws {
        let reporter = try reporter()
        let report = try await reporter.report(try Self.request(.overview))
        for section in ["days", "campaigns", "sources"] {
            #expect(try installs(report, section) == (.count(3), .count(3)), "\(section)")
        }
        for (from, count) in [("2026-11-21", Int64(3)), ("2026-11-18", 3)] {
            let plain = try await reporter.report(
                ReportStores.request("app", now: SampleFigures.now) {
                    ($0.from, $0.to) = (from, from == "2026-11-21" ? "2026-11-23" : "2026-11-20")
                })
            #expect(plain.totals[.installs] == count)
        }
        let campaigns = try #require(report.sections.first { $0.name == "campaigns" })
        let index = try #require(campaigns.columns.firstIndex { $0.name == "installs" })
        // Even days are 0, 2, 4 and 6 days ago.
        #expect(campaigns.rows.map { $0.cells[index] } == [.count(2), .count(1)])
        #expect(campaigns.rows.map { $0.previous?[index] } == [.count(1), .count(2)])
    }

    @Test("Postbacks of source app 0 are told apart from real sources and campaigns, and the filter leaves them out")
    func developmentBuilds() async throws {
        let times = (0..<6).map { SampleFigures.now - $0 * SampleFigures.day }
        let reporter = try stores.reporter(at: times) { draft, index in
            // Two of this period and one of the previous one.
            draft[.sourceAppID] = [0, 2, 4].contains(index) ? .integer(0) : index == 1 ? .integer(7) : nil
        }
        let note = "its postbacks are tests: 2, of which 2 count as installs here"
        for name in StandardReportName.allCases {
            let report = try await reporter.report(try Self.request(name))
            #expect(report.notes.contains { $0.contains(note) } == (name != .delivery), "\(name)")
            guard ![.costs, .performance, .delivery].contains(name) else {
                #expect(report.notes.allSatisfy { !$0.contains("source-app!=0") })
                continue
            }
            let rest = try await reporter.report(
                try Self.request(name) { $0.selection.filters = ["source-app!=0"] })
            #expect(rest.notes.allSatisfy { !$0.contains("are tests") }, "\(name)")
        }
        for (by, isNoted) in [("campaign-id", true), ("campaign-id,source-app", false)] {
            let report = try await reporter.report(
                ReportStores.request(by, now: SampleFigures.now) { $0.from = "2026-11-21" })
            #expect(report.rendered(as: .table).contains("tests: 2") == isNoted)
            #expect(report.rendered(as: .json).contains("tests: 2") == isNoted)
        }
        let state = try #require(try await reporter.report(try Self.request(.overview)).sections.first)
        let index = try #require(state.columns.firstIndex { $0.name == "development-builds" })
        #expect(state.rows[0].cells[index] == .count(2) && state.rows[0].previous?[index] == .count(1))
        let sources = try #require(try await reporter.report(try Self.request(.sources)).sections.first)
        #expect(sources.cell("installs", "0") == .count(2) && sources.totals?.cells[2] == .count(3))
    }

    @Test("A network that is selected is the only one whose rows are seen, and deliveries are left out")
    func network() async throws {
        let reporter = try reporter()
        for name in StandardReportName.allCases where name != .delivery {
            let request = try Self.request(name) { $0.selection.filters = ["network=even.skadnetwork"] }
            let report = try await reporter.report(request)
            let text = report.rendered(as: .json)
            #expect(!text.contains("odd.skadnetwork") && !text.contains("quarantined"), "\(name)")
        }
    }

    @Test("As of a position, every section has the figures of then")
    func position() async throws {
        let reporter = try reporter()
        let now = try await reporter.report(try Self.request(.campaigns))
        let first = try #require(LedgerPosition("\(now.position.store)-2"))
        let then = try await reporter.report(try Self.request(.campaigns) { $0.selection.asOf = first.description })
        #expect(try installs(now, "campaigns") == (.count(3), .count(3)))
        #expect(try installs(then, "campaigns") == (.count(2), .absent))
        await #expect(throws: FieldProblem.self) {
            try await reporter.report(try Self.request(.tiers) { $0.selection.asOf = "00000000-1" })
        }
    }

    @Test(
        "A period that begins before the first postback says so",
        arguments: [
            ("3d", nil), ("4d", "The previous period begins on 2026-11-16"), ("8d", "The period begins on 2026-11-16"),
            ("2026-10", "There is no postback up to the end"),
        ])
    func beginning(_ period: String, _ note: String?) async throws {
        let report = try await reporter().report(try Self.request(.sources) { $0.selection.period = period })
        #expect(report.notes.count == (note == nil ? 0 : 1), "\(report.notes)")
        #expect(report.notes.first?.hasPrefix(note ?? "") ?? (note == nil), "\(report.notes)")
    }

    @Test("A limit on cells, or on time, is an error", arguments: StandardReportName.allCases)
    func limits(_ name: StandardReportName) async throws {
        let reporter = try reporter()
        await #expect(throws: LedgerQuestionError.self) {
            try await reporter.report(try Self.request(name), limits: LedgerLimits(cells: 1))
        }
    }

    @Test("Columns named of a section that is asked for alone are those of the whole report")
    func section() async throws {
        let reporter = try reporter()
        let whole = try await reporter.report(try Self.request(.wins))
        let part = try await reporter.report(try Self.request(.wins) { $0.section = "countries" })
        #expect(part.sections.map(\.name) == ["countries"])
        let countries = try #require(whole.sections.first { $0.name == "countries" })
        #expect(part.sections.first.map { Array($0.rows) } == Array(countries.rows))
    }
}
