import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("The route of reports", .timeLimit(.minutes(5)))
struct ReportRoutesTests {
    /// Runs a console with reports alone for the length of `body`.
    private static func run(
        _ report: @escaping @Sendable (ReportRequest, LedgerLimits) async throws -> Report,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try await withConsole([ReportRoutes(logger: .silent, report: report)], body: body)
    }

    private static func get(_ path: String, _ fields: String = "", on port: Int) async throws -> RawAnswer {
        try await blocking {
            let client = try RawClient(port: port)
            client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            return try client.answer()
        }
    }

    private static let empty: @Sendable (ReportRequest, LedgerLimits) async throws -> Report = { request, _ in
        .empty(request)
    }

    @Test("A client that goes away ends the counting")
    func hangUp() async throws {
        let reports = HeldReports()
        try await Self.run({ try await reports.report($0, $1) }) { port in
            var client: RawClient? = try RawClient(port: port)
            client?.send("GET /v1/report HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for await limits in reports.begun {
                #expect(limits.deadline == .seconds(30))
                break
            }
            // Closes its connection.
            client = nil
            for await _ in reports.cancelled {
                break
            }
        }
    }

    @Test("One report is counted, four wait, and one more is told to come back")
    func busy() async throws {
        let reports = HeldReports()
        try await Self.run({ try await reports.report($0, $1) }) { port in
            try await withThrowingTaskGroup(of: RawAnswer.self) { requests in
                for _ in 0..<6 {
                    requests.addTask { try await Self.get("/v1/report", on: port) }
                }
                let refused = try #require(try await requests.next())
                #expect(refused.status == 503 && refused.reason == "busy" && refused.fields["retry-after"] == "5")
                reports.open()
                for try await answer in requests {
                    #expect(answer.status == 200)
                }
            }
        }
    }

    @Test("A waiting client that goes away leaves its turn to the next")
    func waiting() async throws {
        let reports = HeldReports()
        try await Self.run({ try await reports.report($0, $1) }) { port in
            let request = "GET /v1/report HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let first = try RawClient(port: port)
            first.send(request)
            for await _ in reports.begun { break }
            for _ in 0..<20 {
                try RawClient(port: port).send(request)
            }
            reports.open()
            #expect(try await blocking { try first.answer().status } == 200)
            // Whoever comes now may have to wait until the connections of the others are seen to be closed.
            var status = 503
            while status == 503 {
                status = try await Self.get("/v1/report", on: port).status
            }
            #expect(status == 200)
        }
    }

    private struct Broken: Error {}

    @Test(
        "What goes wrong has a status and a reason",
        arguments: [
            (LedgerQuestionError.tooManyCells(limit: 1_000_000), 422, "too-large"),
            (LedgerQuestionError.tooManyCombinations, 422, "too-large"),
            (LedgerQuestionError.deadlinePassed(.seconds(30)), 503, "took-too-long"),
            (FieldProblem(field: "as-of", found: "a", expected: "b"), 400, "bad-field"),
            (StoreError.failed(path: "s", .diskFull), 503, "store-failed"),
            (StoreError.missing(path: "s"), 503, "store-failed"),
            (Broken(), 503, "store-failed"),
        ] as [(any Error & Sendable, Int, String)])
    func failures(_ error: any Error & Sendable, _ status: Int, _ reason: String) async throws {
        let report: @Sendable (ReportRequest, LedgerLimits) async throws -> Report = { _, _ in throw error }
        try await Self.run(report) { port in
            let answer = try await Self.get("/v1/report", on: port)
            #expect(answer.status == status && answer.reason == reason)
            #expect(answer.body.hasPrefix(#"{"status":"refused","reason":""#) && !answer.body.contains("Broken"))
            #expect((answer.fields["retry-after"] != nil) == (status == 503))
        }
    }

    @Test(
        "Accept chooses the format where the query does not",
        arguments: [
            ("/v1/report", "", "application/json"), ("/v1/report", "Accept: */*\r\n", "application/json"),
            ("/v1/report", "Accept: text/csv\r\n", "text/csv; charset=utf-8"),
            ("/v1/report", "Accept: text/csv;q=0.5, text/plain\r\n", "text/plain; charset=utf-8"),
            ("/v1/report", "Accept: TEXT/CSV;q=0, Text/Markdown;q=0.1\r\n", "text/markdown; charset=utf-8"),
            ("/v1/report", "Accept: text/html\r\nAccept: application/x-ndjson\r\n", "application/x-ndjson"),
            (
                "/v1/report", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n",
                "application/json"
            ),
            ("/v1/report?format=table", "Accept: text/csv\r\n", "text/plain; charset=utf-8"),
        ])
    func accept(_ path: String, _ fields: String, _ mediaType: String) async throws {
        try await Self.run(Self.empty) { port in
            let answer = try await Self.get(path, fields, on: port)
            #expect(answer.status == 200 && !answer.saysClose)
            #expect(answer.fields["content-type"] == mediaType)
            #expect(answer.fields["vary"] == "Accept")
        }
    }

    @Test(
        "CSV comes as a file with the days in its name",
        arguments: [
            ("format=csv", "skan-report.csv"),
            ("format=csv&period=2026-W46", "skan-report-2026-11-09-2026-11-15.csv"),
        ])
    func disposition(_ query: String, _ name: String) async throws {
        try await Self.run(Self.empty) { port in
            let answer = try await Self.get("/v1/report?\(query)", on: port)
            #expect(answer.fields["content-disposition"] == "attachment; filename=\"\(name)\"")
        }
    }

    /// Reports, and what tells in each of all networks: their deliveries, and when the last postback was recorded.
    static let ofAllNetworks: [(path: String, marks: [String])] = [
        ("/v1/report?format=json", ["\"received\": ", "2026-11-21T12:00:00Z"]),
        ("/v1/report?format=ndjson", ["\"type\":\"deliveries\"", "2026-11-21T12:00:00Z"]),
        ("/v1/report?format=table", ["Deliveries: ", "Test deliveries: ", "2026-11-21T12:00:00Z"]),
        ("/v1/report?format=markdown", ["Deliveries: ", "Test deliveries: ", "2026-11-21T12:00:00Z"]),
        ("/v1/reports/overview?format=json", ["2026-11-21T12:00:00Z"]),
        ("/v1/reports/overview?format=ndjson", ["2026-11-21T12:00:00Z"]),
        ("/v1/reports/overview?format=table", ["2026-11-21T12:00:00Z"]),
        ("/v1/reports/overview?format=html", ["2026-11-21T12:00:00Z"]),
        ("/v1/reports/overview?section=state&format=csv", ["2026-11-21T12:00:00Z"]),
    ]

    @Test(
        "A token limited to a network gets nothing that concerns all networks but a position", arguments: ofAllNetworks)
    func limited(_ path: String, _ marks: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("skan-reports-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = AccessFile(folder.appendingPathComponent("tokens.json").path)
        func token(_ networks: [String]) throws -> String {
            let ids = networks.compactMap { AdNetworkID($0) }
            return try file.update(creatingFile: true) { list throws(AccessProblem) in
                var generator = SystemRandomNumberGenerator()
                return try list.create(
                    name: "a", scopes: [.report], networks: ids, expires: nil, now: Date(), using: &generator
                ).token.text
            }
        }
        let (limited, free) = (try token(["n.skadnetwork"]), try token([]))
        let reporter = Reporter(DailyLedger(days: 3))
        let routes = ReportRoutes(
            logger: .silent, report: { try await reporter.report($0, limits: $1) },
            standardReport: { try await reporter.report($0, limits: $1) })
        let access = AccessControl(file: file, reading: try file.read(), perSecond: 1_000, logger: .silent)
        try await withConsole([routes], access: access) { port in
            let path = path + "&where=network%3Dn.skadnetwork"
            let own = try await Self.get(path, "Authorization: Bearer \(limited)\r\n", on: port)
            let all = try await Self.get(path, "Authorization: Bearer \(free)\r\n", on: port)
            #expect(own.status == 200 && all.status == 200)
            for mark in marks {
                #expect(all.body.contains(mark) && !own.body.contains(mark), "\(mark): \(all.body) \(own.body)")
            }
            #expect(own.fields["skan-position"] == "0123abcd-3")
            if path.hasPrefix("/v1/report?format=json") {
                let object = try JSONObject(reading: Array(own.body.utf8), limit: own.body.utf8.count)
                #expect(object["deliveries"] == .null && object["recorded-at"] == .null)
            }
        }
    }

    @Test("A token limited to a network is not told which values others have")
    func unseen() async throws {
        var request = ReportRequest(conditions: [
            LedgerQuestion.Condition(dimension: .network, values: ["n.skadnetwork"]),
            LedgerQuestion.Condition(dimension: .app, values: ["77"]),
        ])
        let reporter = Reporter(DailyLedger(days: 3))
        #expect(try await reporter.report(request).unseen.map(\.dimension) == [.network, .app])
        request.isLimited = true
        #expect(try await reporter.report(request).unseen.map(\.dimension) == [.network])
        var ofApps = request
        ofApps.isLimitedToApps = true
        let limited = try await reporter.report(ofApps)
        #expect(limited.unseen.isEmpty && limited.shownPosition == nil)
        let overview = StandardReportRequest(name: .overview, selection: request, nowMilliseconds: 1_795_217_400_000)
        #expect(try await reporter.report(overview).unseen.map(\.dimension) == [.network])
    }

    @Test(
        "A wrong parameter is refused by name",
        arguments: [
            ("perod=today", "perod: found an unknown parameter, expected by, where, period, "),
            ("perod=today", "; did you mean period?"), ("by=app&by=app", "by: found more than one value, expected one"),
            ("histogram=yes&format=table", "histogram: found yes, expected true or false"),
            ("format=cvs", "format: found cvs, expected one of table, csv, json, ndjson, markdown; did you mean csv?"),
            ("top=0", "top: found 0, expected a number of rows, 1 or more"),
            ("test=1", "test: found 1, expected true or false"),
            ("test&provenance=apple", "test: found it with provenance=apple, expected one of the two"),
            ("where=app%3D1,2", "where app=… where app=…"),
        ])
    func refusals(_ query: String, _ detail: String) async throws {
        try await Self.run(Self.empty) { port in
            let answer = try await Self.get("/v1/report?\(query)", on: port)
            #expect(answer.status == 400 && answer.reason == "bad-field")
            #expect(answer.body.contains(detail), "\(answer.body)")
        }
    }

    // MARK: Standard reports

    /// Asks a console with standard reports of three days, whose limits are checked.
    private static func getStandard(_ path: String, _ fields: String = "") async throws -> RawAnswer {
        let reporter = Reporter(DailyLedger(days: 3))
        let routes = ReportRoutes(logger: .silent, report: empty) { request, limits in
            #expect(limits.deadline == .seconds(30) && limits.isBackground)
            return try await reporter.report(request, limits: limits)
        }
        var answer: RawAnswer?
        try await withConsole([routes]) { answer = try await get(path, fields, on: $0) }
        return try #require(answer)
    }

    @Test(
        "The format is the query's, or else the one that Accept prefers",
        arguments: [
            ("", "", "application/json"), ("", "Accept: */*\r\n", "application/json"),
            ("", "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n", "text/html; charset=utf-8"),
            ("?format=html", "Accept: text/csv\r\n", "text/html; charset=utf-8"),
            ("?format=table", "", "text/plain; charset=utf-8"),
            ("", "Accept: text/markdown\r\n", "text/markdown; charset=utf-8"),
            ("?format=ndjson", "", "application/x-ndjson"),
            ("?section=values&format=csv", "", "text/csv; charset=utf-8"),
        ])
    func standardFormats(_ query: String, _ fields: String, _ mediaType: String) async throws {
        let answer = try await Self.getStandard("/v1/reports/conversions" + query, fields)
        #expect(answer.status == 200 && !answer.saysClose)
        #expect(answer.fields["content-type"] == mediaType && answer.fields["vary"] == "Accept")
        #expect(answer.fields["skan-position"] == "0123abcd-3")
        let isHTML = mediaType.hasPrefix("text/html")
        #expect((answer.fields["content-security-policy"]?.hasPrefix("default-src 'none'") ?? false) == isHTML)
    }

    @Test(
        "What cannot be reported is refused with the parameter's name",
        arguments: [
            ("/v1/reports/overviw", "name: found overviw"), ("/v1/reports/wins?section=x", "section: found x"),
            ("/v1/reports/wins?format=csv", "section: found none"),
            ("/v1/reports/wins?rows=9", "rows: found an unknown"),
            ("/v1/reports/wins?by=app", "by: found app with report wins"),
            ("/v1/reports/wins?roll-up=no", "roll-up: found no, expected true or false"),
            ("/v1/reports/wins?compare=no", "compare: found no, expected true or false"),
            ("/v1/reports/wins?period=7d&from=2026-11-01", "period: found"),
            ("/v1/reports/delivery?where=app%3D1", "where: found app with report delivery"),
        ])
    func standardRefusals(_ path: String, _ message: String) async throws {
        let answer = try await Self.getStandard(path)
        #expect(answer.status == 400 && answer.reason == "bad-field")
        #expect(answer.body.contains(message), "\(answer.body)")
    }

    @Test("Another method, and a path with more or fewer elements, are told apart")
    func paths() async throws {
        #expect(try await Self.getStandard("/v1/reports").status == 404)
        #expect(try await Self.getStandard("/v1/reports/wins/apps").status == 404)
    }
}
