import Attribution
import AttributionHarness
import TestSupport
import Testing

@Suite("Reading reports from a console", .timeLimit(.minutes(2)))
struct ConsoleClientTests {
    @Test(
        "Any answer but a report is an error that names it and what to do",
        arguments: [
            (
                "308 Moved\r\nLocation: https://b.example/v1/report",
                "answered 308, expected 200: it redirects to https://b.example/v1/report",
                "redirects are not followed: name the console by the address it redirects to, without /v1/report"
            ),
            ("302 Found", "answered 302, expected 200", "check the address of the console"),
            (
                "401 Unauthorized\r\nLocation: /login", "answered 401, expected 200",
                "set SKAN_TOKEN to a token with the scope report"
            ),
        ])
    func refusals(_ head: String, _ message: String, _ hint: String) async throws {
        let server = try ScriptedServer([["read", "send HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n"]])
        let error = try await #require(throws: ConsoleError.self) {
            try await ConsoleClient(url: server.url).testReport(by: "day")
        }
        #expect(error.message.hasSuffix("/v1/report?format=json&provenance=test&by=day " + message))
        #expect(error.hint == hint)
        #expect(try await server.end().count == 1)
    }
}
