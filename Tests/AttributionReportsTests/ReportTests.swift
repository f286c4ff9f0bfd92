import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import Testing

@Suite("Reports")
struct ReportTests {
    private let stores: ReportStores

    init() throws {
        stores = try ReportStores()
    }

    private func request(
        _ by: String, from: String? = nil, to: String? = nil, zone: String = "UTC", filters: [String] = []
    ) throws -> ReportRequest {
        try ReportStores.request(by) { parameters in
            (parameters.from, parameters.to, parameters.timeZone, parameters.filters) = (from, to, zone, filters)
        }
    }

    @Test(
        "Days begin at midnight in the requested time zone",
        arguments: [
            ("UTC", [["2026-11-20", "1"], ["2026-11-21", "1"]]),
            ("Europe/Berlin", [["2026-11-21", "2"]]),
            ("America/Los_Angeles", [["2026-11-20", "2"]]),
            ("Asia/Kathmandu", [["2026-11-21", "2"]]),
        ] as [(String, [[String]])])
    func days(_ zone: String, _ expected: [[String]]) async throws {
        let report = try await stores.reporter(at: ReportStores.night).report(request("day", zone: zone))
        #expect(report.rows.map { $0.values + [String($0.counts[.installs])] } == expected)
        #expect(report.rendered(as: .table).contains("days of \(zone)"))
        #expect(report.rendered(as: .json).contains("\"time-zone\": \"\(zone)\""))
    }

    @Test(
        "From and to are inclusive, in the requested time zone",
        arguments: [
            ("2026-11-20", "2026-11-20", "UTC", 1), ("2026-11-21", "2026-11-21", "UTC", 1),
            ("2026-11-20", "2026-11-21", "UTC", 2), ("2026-11-22", nil, "UTC", 0), (nil, "2026-11-20", "UTC", 1),
            ("2026-11-21", nil, "Europe/Berlin", 2), (nil, "2026-11-20", "Europe/Berlin", 0),
            (nil, "2026-11-20", "America/Los_Angeles", 2),
        ] as [(String?, String?, String, Int64)])
    func period(_ from: String?, _ to: String?, _ zone: String, _ installs: Int64) async throws {
        let reporter = try stores.reporter(at: ReportStores.night)
        let report = try await reporter.report(request("campaign", from: from, to: to, zone: zone))
        #expect(report.totals[.installs] == installs)
        #expect(report.deliveries.received == installs)
        let byDay = try await reporter.report(request("day,campaign", from: from, to: to, zone: zone))
        #expect(byDay.totals == report.totals)
    }

    @Test("Rows are in numerical order, and a missing value is empty")
    func order() async throws {
        let report = try await stores.reporter(at: [0, 0, 0]).report(request("campaign"))
        #expect(report.rows.map(\.values) == [["9", ""], ["10", ""], ["11", ""]])
    }

    @Test("Filters select rows; an empty value selects those without one")
    func filters() async throws {
        let reporter = try stores.reporter(at: [0, 0]) { draft, index in
            if index == 1 {
                draft[.sourceAppID] = .integer(0)
            }
        }
        let none = try await reporter.report(request("source", filters: ["source-app="]))
        #expect(none.rows.map(\.values) == [["", ""]])
        let zero = try await reporter.report(request("source", filters: ["source-app=0", "app=525463029"]))
        #expect(zero.rows.map(\.values) == [["0", ""]])
        #expect(try await reporter.report(request("app", filters: ["app=1"])).rows.isEmpty)
    }

    @Test("Every format has the same figures and ends with the deliveries", arguments: ReportFormat.ofFreeReports)
    func formats(_ format: ReportFormat) async throws {
        let report = try await stores.reporter(at: [0, 0]) { draft, index in
            draft[.conversionValue] = .integer(Int64(index) * 20)
        }.report(request("campaign"))
        let text = report.rendered(as: format)
        #expect(text.utf8.last == UInt8(ascii: "\n"))
        switch format {
        case .json:
            let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(object["schema"] as? String == "skan.report/2")
            #expect((object["rows"] as? [[String: Any]])?.count == 2)
            let totals = try #require(object["totals"] as? [String: Any])
            #expect(totals["installs"] as? Int == 2)
            #expect(totals["conversion-null"] as? Int == 0)
            #expect(totals["conversion-mean"] as? Double == 10)
            #expect((totals["conversion-values"] as? [String: Int]) == ["0": 1, "20": 1])
            let deliveries = try #require(object["deliveries"] as? [String: Any])
            #expect(deliveries["received"] as? Int == 2)
            #expect((deliveries["test"] as? [String: Int])?["recorded"] == 2)
        case .ndjson:
            let types = text.split(separator: "\n").compactMap { line in
                (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["type"] as? String
            }
            #expect(types == ["report", "row", "row", "totals", "deliveries"])
        case .csv:
            let lines = text.split(separator: "\r\n")
            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("campaign-id,source-identifier,postbacks,installs,"))
            #expect(lines[2].hasPrefix("10,,1,1,0,1,0,0.0000,1,0,"))
            #expect(
                lines[0].hasSuffix(
                    ",re-engagements,re-engagements-later,re-engagement-null,re-engagement-invalid,re-engagement-low,"
                        + "re-engagement-medium,re-engagement-high"))
            #expect(lines[2].hasSuffix(",0,0,0,0,0,0,0") && !text.contains(":"), "no cell holds several numbers")
        case .table:
            #expect(text.contains("TEST postbacks"))
            #expect(text.contains("Deliveries: received 2, recorded 0"))
            #expect(text.contains("Test deliveries: recorded 2"))
        case .markdown:
            #expect(text.contains("| campaign-id | source-identifier | postbacks |"))
            #expect(text.contains("Test deliveries: recorded 2"))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test("Everything that Apple does not sign is named as unproven", arguments: ReportFormat.ofFreeReports)
    func unproven(_ format: ReportFormat) async throws {
        let text = try await stores.reporter(at: [0]).report(request("country,app")).rendered(as: format)
        switch format {
        case .json, .ndjson:
            let line = text.replacing("\n", with: "").replacing(" ", with: "")
            #expect(line.contains(#""unproven":["country","conversion-null""#))
        case .table, .markdown:
            #expect(text.contains("Not signed by Apple, so anyone who has a postback can change it: country, conv"))
        case .csv:
            // CSV has no room for notes; its columns are documented.
            #expect(text.hasPrefix("country,app,"))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test("A filter on an unsigned dimension makes a report unproven too, and is named once")
    func unprovenFilter() async throws {
        let reporter = try stores.reporter(at: [0])
        let filtered = try await reporter.report(request("app", filters: ["country="])).rendered(as: .table)
        #expect(filtered.contains("anyone who has a postback can change it: country, conversion values."))
        let both = try await reporter.report(request("country", filters: ["country="]))
        #expect(both.rendered(as: .table).contains("can change it: country, conversion values."))
        #expect(both.json.line.contains(#""unproven":["country","conversion-null""#))
    }

    @Test(
        "Redownloads are named as unproven only if some of version 1.0 are counted",
        arguments: ReportFormat.ofFreeReports)
    func unprovenRedownloads(_ format: ReportFormat) async throws {
        func text(_ by: String, from version: String) async throws -> String {
            let reporter = try stores.reporter(at: [0, 0]) { draft, index in
                draft[.version] = .string(index == 0 ? version : "3.0")
                draft[.redownload] = .bool(true)
            }
            return try await reporter.report(request(by)).rendered(as: format).replacing("\n", with: "")
                .replacing(" ", with: "")
        }
        let (first, later) = (try await text("app", from: "1.0"), try await text("app", from: "2.2"))
        switch format {
        case .json, .ndjson:
            let columns = #""redownloads","redownload-known","redownload-unproven","redownload-rate","conversion-null""#
            #expect(first.contains(#""unproven":[\#(columns)"#) && !later.contains(#""redownload-known","#))
            #expect(
                first.contains(
                    #""redownloads":2,"redownload-known":2,"redownload-unproven":1,"redownload-rate":1.0000,"#))
            #expect(try await text("redownload", from: "1.0").contains(#""unproven":["redownload",\#(columns)"#))
            #expect(try await !text("redownload", from: "2.2").contains(#""unproven":["redownload""#))
        case .csv:
            #expect(first.contains(",2,2,2,2,1,1.0000,") && later.contains(",2,2,2,2,0,1.0000,"))
        case .table, .markdown:
            #expect(first.contains("conversionvalues,redownloadin1.0(1of2)."))
            #expect(later.contains("conversionvalues."))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test("Invalid conversion values are counted separately", arguments: ReportFormat.ofFreeReports)
    func invalidConversions(_ format: ReportFormat) async throws {
        let report = try await stores.reporter(at: [0, 0]) { draft, index in
            draft[.conversionValue] = .integer(index == 0 ? 64 : 20)
        }.report(ReportStores.request("app") { $0.showsHistogram = format == .table })
        #expect(report.totals[.installs] == 2 && report.deliveries.quarantined == 0)
        let text = report.rendered(as: format).replacing(" ", with: "")
        switch format {
        case .json, .ndjson: #expect(text.contains(#""conversion-invalid":1,"#))
        case .csv: #expect(text.contains(",0,0.0000,1,1,20.00,"))
        case .table: #expect(text.contains("invalid1█"))
        case .markdown: #expect(text.contains("|conversion-invalid|"))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test("The denominator of every rate is a column")
    func denominators() async throws {
        let csv = try await stores.reporter(at: [0]).report(request("app")).rendered(as: .csv)
        let columns = try #require(csv.split(separator: "\r\n").first).split(separator: ",").map { String($0) }
        for (rate, denominator) in [
            ("redownload-rate", "redownload-known"), ("null-rate", "installs"), ("conversion-mean", "conversion-fine"),
            ("loss-rate", "decided"),
        ] {
            #expect(columns.contains(rate) && columns.contains(denominator))
        }
        #expect(columns.filter { $0.hasSuffix("-rate") || $0.hasSuffix("-mean") }.count == 4)
    }

    @Test("A report without dimensions has totals even if nothing was counted", arguments: ReportFormat.ofFreeReports)
    func noDimensions(_ format: ReportFormat) async throws {
        let reporter = try stores.reporter(at: [0, 0])
        let position = try await reporter.report(request("")).position.description
        let store = try #require(position.split(separator: "-").first)
        let report = try await reporter.report(
            ReportStores.request("") { ($0.asOf, $0.columns) = ("\(store)-0", "postbacks,null-rate") })
        #expect(report.rows.map(\.values) == [[]] && report.totals == Counts())
        let text = report.rendered(as: format)
        switch format {
        case .table, .markdown: #expect(text.contains(/total[ |]+0/))
        case .csv: #expect(text == "postbacks,null-rate\r\n0,\r\n")
        case .json: #expect(text.contains("\"rows\": [\n    {\n      \"postbacks\": 0,"))
        case .ndjson: #expect(text.contains(#"{"type":"row","provenance":"test","postbacks":0,"null-rate":null}"#))
        case .html: Issue.record("free reports are not written as HTML")
        }
    }

    @Test("An empty store gives an empty report")
    func empty() async throws {
        let report = try await stores.reporter(at: []).report(request("day,app"))
        #expect(report.rows.isEmpty && report.deliveries.received == 0)
        #expect(report.rendered(as: .table).contains("No postbacks recorded yet."))
    }
}
