import Attribution
import AttributionHarness
import AttributionSigning
import TestSupport
import Testing

@Suite("A device with a web ad, and what may answer it", .timeLimit(.minutes(1)))
struct WebAdDeviceTests {
    private static func tap(_ origin: String) async throws -> WebAdVisit {
        let device = WebAdDevice(
            sourceDomain: "example.com", networkKey: try NetworkPrivateKey.generate(.p256).publicKey())
        let link = """
            {"href": "https://apps.apple.com/app/id1", "attributionDestination": "https://ads.example",
             "attributionSourceNonce": "n"}
            """
        return try await device.tap(try WebAdPageLink(json: Array(link.utf8)), at: origin)
    }

    @Test(
        "An answer that is no payload is quoted without control characters, and not said to be missing",
        arguments: [
            ("500 Error", "\u{1B}[31mred", "the tap was answered 500, expected 200: \\u{1b}[31mred"),
            ("200 OK", "\u{1B}[31mred", "the tap was answered 200, expected a payload: "),
            ("200 OK", "", "the tap was answered 200, expected a payload: "),
        ])
    func answers(_ status: String, _ body: String, _ problem: String) async throws {
        let answer = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let server = try ScriptedServer([["read", "send " + answer]])
        let visit = try await Self.tap("http://127.0.0.1:\(server.port)")
        #expect(visit.problems.count == 1 && visit.problems.first?.hasPrefix(problem) == true, "\(visit.problems)")
        #expect(visit.problems.first?.contains("\u{1B}") == false)
        #expect(try await server.end().count == 1)
    }

    @Test("A server whose certificate this machine does not trust cannot be reached by a device")
    func distrusted() async throws {
        let files = ["first-certificate.pem", "first-key.pem"].map(Fixture.path)
        let server = try ScriptedServer([["tls " + files.joined(separator: " "), "wait"]])
        let unreachable = await #expect(throws: WebAdDevice.Unreachable.self) {
            try await Self.tap("https://127.0.0.1:\(server.port)")
        }
        #expect(unreachable?.reason.contains("does not trust its certificate") == true)
        _ = try await server.end()
    }
}
