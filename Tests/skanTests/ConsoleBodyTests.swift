import Foundation
import TestSupport
import Testing

@Suite("Bodies sent to the console", .timeLimit(.minutes(2)))
struct ConsoleBodyTests {
    static let bodies: [(fields: String, body: String, status: Int, reason: String)] = [
        ("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n", 400, "malformed-request"),
        ("Transfer-Encoding: chunked", "2\r\n{}x", 400, "malformed-request"),
        ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n", 400, "bad-field"),
        ("Content-Length: 20000", String(repeating: " ", count: 20_000), 413, "body-too-large"),
    ]

    @Test("A malformed body is 400, and only one that is too large 413", arguments: bodies)
    func refused(_ row: (fields: String, body: String, status: Int, reason: String)) throws {
        let folder = try WorkFolder()
        let server = try SkanServer(in: folder, arguments: [])
        let client = try RawClient(port: server.consolePort)
        client.send(
            "POST /v1/quarantine/prune HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "\(row.fields)\r\n\r\n\(row.body)")
        let answer = try client.answer()
        #expect(answer.status == row.status && answer.reason == row.reason, "\(answer)")
        if row.reason == "malformed-request" {
            #expect(answer.saysClose)
            try client.waitForEnd()
        }
        #expect(server.end(SIGTERM).status == 0)
    }
}
