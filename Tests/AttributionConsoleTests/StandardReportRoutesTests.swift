import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import TestSupport
import Testing

@Suite("The route of standard reports", .timeLimit(.minutes(5)))
struct StandardReportRoutesTests {
    /// Asks a console whose reports are empty, and whose limits are checked.
    private static func get(_ path: String, _ fields: String = "") async throws -> RawAnswer {
        let routes = ReportRoutes(logger: .silent) { request, _ in
            .empty(request)
        } standardReport: { request, limits in
            #expect(limits.deadline == .seconds(30) && limits.isBackground)
            return StandardReport(
                request: request, sections: [],
                position: LedgerPosition(store: "65322e1f", last: 3, check: nil), recordedAtMilliseconds: nil,
                firstDay: nil, warnings: [], notes: [], unseen: [], programVersion: nil)
        }
        var answer: RawAnswer?
        try await withConsole([routes]) { port in
            answer = try await blocking {
                let client = try RawClient(port: port)
                client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
                return try client.answer()
            }
        }
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
    func formats(_ query: String, _ fields: String, _ mediaType: String) async throws {
        let answer = try await Self.get("/v1/reports/conversions" + query, fields)
        #expect(answer.status == 200 && !answer.saysClose)
        #expect(answer.fields["content-type"] == mediaType && answer.fields["vary"] == "Accept")
        #expect(answer.fields["skan-position"] == "65322e1f-3")
        let isHTML = mediaType.hasPrefix("text/html")
        #expect((answer.fields["content-security-policy"]?.hasPrefix("default-src 'none'") ?? false) == isHTML)
    }

    @Test(
        "What cannot be reported is refused with the parameter's name",
        arguments: [
            ("/v1/reports/overviw", "name: found overviw"), ("/v1/reports/wins?section=x", "section: found x"),
            ("/v1/reports/wins?format=csv", "section: found none"), ("/v1/reports/wins?by=app", "by: found an unknown"),
            ("/v1/reports/wins?compare=no", "compare: found no, expected true or false"),
            ("/v1/reports/wins?period=7d&from=2026-11-01", "period: found"),
            ("/v1/reports/delivery?where=app%3D1", "where: found app with report delivery"),
        ])
    func refusals(_ path: String, _ message: String) async throws {
        let answer = try await Self.get(path)
        #expect(answer.status == 400 && answer.reason == "bad-field")
        #expect(answer.body.contains(message), "\(answer.body)")
    }

    @Test("Another method, and a path with more or fewer elements, are told apart")
    func paths() async throws {
        #expect(try await Self.get("/v1/reports").status == 404)
        #expect(try await Self.get("/v1/reports/wins/apps").status == 404)
    }
}
