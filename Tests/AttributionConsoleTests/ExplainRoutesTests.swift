import Attribution
import AttributionConsole
import AttributionExplaining
import AttributionSigning
import StrictJSON
import TestSupport
import Testing

@Suite("The routes of explanations", .timeLimit(.minutes(5)))
struct ExplainRoutesTests {
    private static func check(_ members: [(String, JSONText)]) async throws -> RawAnswer {
        let routes = ExplainRoutes(
            postbacks: PostbackExplainer(verifier: try PostbackVerifier()), logger: .silent)
        let body = JSONText.object(members).line
        var answer: RawAnswer?
        try await withConsole([routes]) { port in
            answer = try await blocking {
                let client = try RawClient(port: port)
                client.send(
                    "POST /v1/impressions/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
                return try client.answer()
            }
        }
        return try #require(answer)
    }

    @Test("Eight other keys are tried, and a ninth is refused, not left out", arguments: [0, 1, 8, 9, 100])
    func otherKeys(_ count: Int) async throws {
        let keys = try (0..<(count + 1)).map { _ in
            JSONText.string(try NetworkPrivateKey.generate(.p256).publicKey().base64)
        }
        let answer = try await Self.check([
            ("public-key", keys[0]), ("other-keys", .array(Array(keys.dropFirst()))), ("impression", .string("a.b.c")),
        ])
        if count <= 8 {
            #expect(answer.status == 200 && answer.body.contains("\"verdict\""), "\(answer.body)")
        } else {
            #expect(answer.status == 400 && answer.reason == "bad-field")
            #expect(answer.body.contains("other-keys: found \(count) keys, expected at most 8"), "\(answer.body)")
        }
    }

    @Test(
        "An impression is an object or a JWS, and anything else is refused by name",
        arguments: [
            (.object([] as [(String, JSONText)]), 200), (.string("a.b.c"), 200), (.array([.null]), 200),
            (.integer(1), 400), (.null, 400),
        ] as [(JSONText, Int)])
    func kinds(_ impression: JSONText, _ status: Int) async throws {
        let key = try NetworkPrivateKey.generate(.p256).publicKey().base64
        let answer = try await Self.check([("public-key", .string(key)), ("impression", impression)])
        #expect(answer.status == status, "\(answer.body)")
        #expect(answer.body.contains("impression: found ") == (status == 400), "\(answer.body)")
    }
}
