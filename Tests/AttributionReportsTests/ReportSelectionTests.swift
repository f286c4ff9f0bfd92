import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import Testing

@Suite("Sorting and filtering of reports")
struct ReportSelectionTests {
    private let stores: ReportStores

    init() throws {
        stores = try ReportStores()
    }

    /// Campaigns 9, 10 and 11, with one install, three, and two of which one is a redownload.
    private func reporter() throws -> Reporter {
        try stores.reporter(at: Array(repeating: ReportStores.night[0], count: 6)) { draft, index in
            draft[.campaignID] = .integer([9, 10, 10, 10, 11, 11][index])
            if index == 5 {
                draft[.redownload] = .bool(true)
            }
        }
    }

    @Test(
        "Rows are sorted by figures and dimensions, and ties keep their order",
        arguments: [
            (nil, ["9", "10", "11"]), ("installs", ["9", "11", "10"]), ("-installs", ["10", "11", "9"]),
            ("campaign-id", ["9", "10", "11"]), ("-campaign-id", ["11", "10", "9"]),
            ("-redownload-rate", ["11", "9", "10"]), ("redownload-rate", ["9", "10", "11"]),
            ("conversion-mean", ["9", "10", "11"]),
        ] as [(String?, [String])])
    func sort(_ sort: String?, _ campaigns: [String]) async throws {
        let report = try await reporter().report(ReportStores.request("campaign-id") { $0.sort = sort })
        #expect(report.rows.map { $0.values[0] } == campaigns)
    }

    @Test("Missing values come last, whichever way rows are sorted", arguments: ["app", "-app"])
    func missing(_ direction: String) async throws {
        let reporter = try stores.reporter(at: [0, 0, 0]) { draft, index in
            if index > 0 {
                draft[.sourceAppID] = .integer(Int64(index))
            }
        }
        let request = try ReportStores.request("source-app") {
            $0.sort = direction.replacing("app", with: "source-app")
        }
        let values = try await reporter.report(request).rows.map { $0.values[0] }
        #expect(values == (direction == "app" ? ["1", "2", ""] : ["2", "1", ""]))
    }

    @Test(
        "Only the first rows after sorting are shown, and the totals include all rows",
        arguments: ReportFormat.ofFreeReports)
    func top(_ format: ReportFormat) async throws {
        let request = try ReportStores.request("campaign-id") { parameters in
            (parameters.sort, parameters.top, parameters.columns) = ("-installs", "1", "installs,redownload-rate")
        }
        let report = try await reporter().report(request)
        #expect(report.rows.map(\.values) == [["10"]] && report.omittedRows == 2)
        let text = report.rendered(as: format)
        switch format {
        case .table, .markdown:
            #expect(text.contains("… and 2 more rows; the totals include all rows."))
            #expect(text.replacing(/[ |]+/, with: " ").contains("total 6 0.1667"))
        case .csv:
            #expect(text == "campaign-id,installs,redownload-rate\r\n10,3,0.0000\r\n")
            #expect(report.remarks(.document).contains("… and 2 more rows; the totals include all rows."))
        case .json:
            #expect(text.contains("\"rows-left-out\": 2,"))
            #expect(text.contains("\"totals\": {\n    \"installs\": 6,\n    \"redownload-rate\": 0.1667\n  }"))
        case .ndjson:
            #expect(text.contains(#"{"type":"row","provenance":"test","campaign-id":"10","installs":3,"#))
            #expect(text.contains(#"{"type":"totals","provenance":"test","rows-left-out":2,"installs":6,"#))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test(
        "Filters select alternatives, exclusions and missing values",
        arguments: [
            (["campaign-id=9", "campaign-id=11"], 3), (["campaign-id!=10"], 3),
            (["campaign-id!=10", "campaign-id!=11"], 1), (["source-app="], 6), (["source-app!="], 0),
            (["campaign-id=9", "redownload=true"], 0), (["redownload!=true", "campaign-id=11"], 1),
            (["conversion-value=absent"], 6), (["recipient=network"], 6),
        ] as [([String], Int64)])
    func filters(_ filters: [String], _ installs: Int64) async throws {
        let report = try await reporter().report(ReportStores.request("app") { $0.filters = filters })
        #expect(report.totals[.installs] == installs)
    }

    @Test("A value that no postback has is named", arguments: ReportFormat.ofFreeReports)
    func unseen(_ format: ReportFormat) async throws {
        let request = try ReportStores.request("app") { $0.filters = ["app=12345", "network=N.skadnetwork"] }
        let report = try await reporter().report(request)
        let text = report.rendered(as: format)
        switch format {
        case .table, .markdown:
            #expect(text.contains("No postback recorded here has app 12345.\n"))
            #expect(text.contains("has network N.skadnetwork. Network ids are case-sensitive;"))
        case .csv:
            #expect(report.remarks(.document).contains("No postback recorded here has app 12345."))
        case .json, .ndjson:
            let line = text.replacing("\n", with: "").replacing(" ", with: "")
            #expect(
                line.contains(#""unseen":[{"dimension":"app","value":"12345"},{"dimension":"network","value":"N.s"#))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test("A report as of the position of an earlier one gives the same numbers")
    func position() async throws {
        let reporter = try reporter()
        let first = try await reporter.report(ReportStores.request("campaign-id"))
        let position = first.position.description
        let again = try await reporter.report(ReportStores.request("campaign-id") { $0.asOf = position })
        #expect(again.totals == first.totals)
        let text = again.rendered(as: .table)
        #expect(text.contains("\nAs of \(position), recorded 20") && text.contains(" · skan 9.9.9\n"))
        #expect(text.contains("Deliveries until now: received 6,"))
        #expect(first.rendered(as: .table).contains("Deliveries: received 6,"))
        let json = try JSONSerialization.jsonObject(with: Data(again.json.line.utf8)) as? [String: Any]
        #expect(json?["as-of"] as? String == position && json?["skan-version"] as? String == "9.9.9")
        #expect((json?["recorded-at"] as? String)?.hasSuffix("Z") == true)
    }

    @Test("A position of another store is refused")
    func foreignPosition() async throws {
        let position = try await reporter().report(ReportStores.request("")).position.description
        let request = try ReportStores.request("") { $0.asOf = position }
        let other = try reporter()
        let problem = await #expect(throws: FieldProblem.self) { try await other.report(request) }
        #expect(problem?.field == "as-of" && problem?.found == "\(position), a position of another store")
    }
}
