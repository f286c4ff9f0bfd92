import AttributionHarness
import AttributionListener
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@Suite("The harness's HTTP client", .timeLimit(.minutes(2)))
struct HTTPClientTests {
    private static let ok = "send HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A client that uses a connection again however long a busy machine makes it wait.
    private static func client() -> HTTPClient {
        HTTPClient(longestIdle: .seconds(600))
    }

    private static func send(
        _ client: HTTPClient, to server: ScriptedServer, _ body: HTTPClient.Request.Body? = .whole(Array("{}".utf8))
    ) async throws -> HTTPClient.Answer {
        let request = try HTTPClient.Request(url: server.url, json: body)
        return try await client.send(request, keeping: 10, within: .seconds(15))
    }

    /// What a server told of requests and of the clients that went away, for example `["0 request", "0 closed"]`.
    private static func summary(_ lines: [String]) -> [String] {
        lines.map { line in line.replacing(#/ (POST .*\{\}|GET .*\|\|)$/#, with: " request") }
    }

    // MARK: Requests

    @Test(
        "A request says what its URL, body and token say",
        arguments: [
            ("", nil, nil, "GET / HTTP/1.1|Host: 127.0.0.1:PORT||"),
            ("?a=b", nil, nil, "GET /?a=b HTTP/1.1|Host: 127.0.0.1:PORT||"),
            (
                "/a%20b/?c=ü#f", nil, "secret",
                "GET /a%20b/?c=%C3%BC HTTP/1.1|Host: 127.0.0.1:PORT|Authorization: Bearer secret||"
            ),
            (
                "/x/", #"{"a":1}"#, nil,
                "POST /x/ HTTP/1.1|Host: 127.0.0.1:PORT|Content-Type: application/json|Content-Length: 7||"
                    + #"{"a":1}"#
            ),
            (
                "/", "", nil,
                "POST / HTTP/1.1|Host: 127.0.0.1:PORT|Content-Type: application/json|Content-Length: 0||"
            ),
        ] as [(String, String?, String?, String)])
    func requests(_ path: String, _ body: String?, _ token: String?, _ expected: String) async throws {
        let server = try ScriptedServer([["read", Self.ok]])
        let request = try HTTPClient.Request(
            url: "http://127.0.0.1:\(server.port)\(path)", json: body.map { .whole(Array($0.utf8)) }, token: token)
        _ = try await HTTPClient().send(request, keeping: 10, within: .seconds(15))
        let told = try await server.end()
        #expect(told == ["0 " + expected.replacing("PORT", with: String(server.port))])
    }

    @Test(
        "What is not an HTTP URL is refused",
        arguments: ["", "a", "ftp://a/", "http:///a", "http://a b/", "http://a:65536/", "file:///etc/passwd"])
    func invalidURLs(_ url: String) {
        #expect(throws: HTTPClient.Failure.invalidURL) { try HTTPClient.Request(url: url) }
    }

    @Test("A token that would end its field is not sent")
    func forgedField() async throws {
        let server = try ScriptedServer([["read"]])
        let request = try HTTPClient.Request(url: server.url, token: "a\r\nX: b")
        await #expect(throws: HTTPParserError.invalidHeaderToken) {
            try await HTTPClient().send(request, keeping: 10, within: .seconds(15))
        }
        #expect(try await server.end() == ["0 (cut)"])
    }

    // MARK: Answers

    @Test(
        "An answer is read to its end",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", 200, "ok", true),
            ("HTTP/1.1 404 Not Found\r\n\r\nuntil close", 404, "until clos", false),
            ("HTTP/1.1 503 Busy\r\n\r\nuntil", 503, "until", true),
            ("HTTP/1.0 200 OK\r\n\r\n", 200, "", true),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
            ("HTTP/1.1 307 Away\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 307, "", true),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", 200, "0123456789", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789a", 200, "0123456789", false),
        ])
    func answers(_ text: String, _ status: Int, _ body: String, _ isWhole: Bool) async throws {
        let server = try ScriptedServer([["read", "send " + text]])
        let answer = try await Self.send(HTTPClient(), to: server)
        #expect(answer.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self) == body)
        #expect(answer.isWhole == isWhole)
        #expect(try await server.end().count == 1)
    }

    @Test("Fields keep their names, and are found without letter case")
    func fields() async throws {
        let server = try ScriptedServer([["read", "send HTTP/1.1 200 OK\r\nX-Some: a\r\nContent-Length: 0\r\n\r\n"]])
        let answer = try await Self.send(HTTPClient(), to: server)
        #expect(answer.fields.map(\.name) == ["X-Some", "Content-Length"])
        #expect(answer.field("x-some") == "a")
        #expect(answer.field("X-SOME") == "a")
    }

    @Test("An answer that is needed whole is refused when it is too long")
    func tooLong() async throws {
        let server = try ScriptedServer([["read", "send HTTP/1.1 200 OK\r\n\r\n0123456789a", "wait"]])
        let answer = try await Self.send(HTTPClient(), to: server)
        #expect(throws: HTTPClient.Failure.tooLong) { try answer.wholeBody() }
        // Nobody waits for the end of what nobody reads.
        #expect(try await Self.summary(server.end()) == ["0 request", "0 closed"])
    }

    // MARK: Connections

    @Test(
        "Two requests are answered, over one connection where that is possible, and none is delivered twice",
        arguments: [
            // Kept.
            ([["read", ok, "read", ok]], ["0 request", "0 request"]),
            // Not kept, as the answer says.
            (
                [
                    [
                        "read", "send HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "wait",
                    ], ["read", ok],
                ], ["0 request", "0 closed", "1 request"]
            ),
            (
                [["read", "send HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "wait"], ["read", ok]],
                ["0 request", "0 closed", "1 request"]
            ),
            // The end of the answer is that of the connection.
            ([["read", "send HTTP/1.1 200 OK\r\n\r\nok"], ["read", ok]], ["0 request", "1 request"]),
            // Too long to be read on.
            (
                [["read", "send HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n0123456789a", "wait"], ["read", ok]],
                ["0 request", "0 closed", "1 request"]
            ),
            // Closed after the answer, which may be noticed before or after the next request is sent.
            ([["read", ok], ["read", ok]], ["0 request", "1 request"]),
            ([["read", ok, "reset"], ["read", ok]], ["0 request", "1 request"]),
            // Answered more than was asked.
            (
                [["read", ok + "HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n", "wait"], ["read", ok]],
                ["0 request", "0 closed", "1 request"]
            ),
        ] as [([[String]], [String])])
    func connections(_ plan: [[String]], _ expected: [String]) async throws {
        let server = try ScriptedServer(plan)
        let client = Self.client()
        #expect(try await Self.send(client, to: server, nil).status == 200)
        #expect(try await Self.send(client, to: server, nil).status == 200)
        #expect(try await Self.summary(server.end()) == expected)
    }

    @Test(
        "A GET request to which an idle connection ends unanswered is sent once more, and only once; a POST never",
        arguments: [
            ([["read", ok, "read"], ["read", ok]], true, ["0 request", "0 request", "1 request"]),
            ([["read", ok, "read", "reset"], ["read", ok]], true, ["0 request", "0 request", "1 request"]),
            ([["read", ok, "read"], ["read"]], false, ["0 request", "0 request", "1 request"]),
        ] as [([[String]], Bool, [String])])
    func repeated(_ plan: [[String]], _ isAnswered: Bool, _ expected: [String]) async throws {
        for isPost in [false, true] {
            let server = try ScriptedServer(plan)
            let client = Self.client()
            let body = isPost ? HTTPClient.Request.Body.whole(Array("{}".utf8)) : nil
            #expect(try await Self.send(client, to: server, body).status == 200)
            let second = try? await Self.send(client, to: server, body)
            #expect((second != nil) == (isAnswered && !isPost))
            #expect(try await Self.summary(server.end()) == (isPost ? Array(expected.prefix(2)) : expected))
        }
    }

    @Test("A connection that the server may be about to close is not used")
    func longIdle() async throws {
        let server = try ScriptedServer([["read", Self.ok, "wait"], ["read", Self.ok]])
        let client = HTTPClient(longestIdle: .zero)
        #expect(try await Self.send(client, to: server).status == 200)
        #expect(try await Self.send(client, to: server).status == 200)
        #expect(try await Self.summary(server.end()).sorted() == ["0 closed", "0 request", "1 request"])
    }

    @Test("A connection that speaks another protocol takes no more requests")
    func otherProtocol() async throws {
        let server = try ScriptedServer([
            ["read", "send HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "wait"],
            ["read", Self.ok],
        ])
        let client = Self.client()
        #expect(try await Self.send(client, to: server).status == 101)
        #expect(try await Self.send(client, to: server).status == 200)
        #expect(try await Self.summary(server.end()) == ["0 request", "0 closed", "1 request"])
    }

    @Test(
        "A server that closes in the middle of its answer, or does not answer in HTTP, is reported and not asked again",
        arguments: [
            "H", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n", "no HTTP\r\n\r\n",
        ])
    func brokenAnswers(_ beginning: String) async throws {
        let server = try ScriptedServer([["read", Self.ok, "read", "send " + beginning]])
        let client = Self.client()
        #expect(try await Self.send(client, to: server).status == 200)
        await #expect(throws: (any Error).self) { try await Self.send(client, to: server) }
        #expect(try await Self.summary(server.end()) == ["0 request", "0 request"])
    }

    @Test("Each server has connections of its own, which are closed when the client goes")
    func servers() async throws {
        let servers = try (0..<2).map { _ in try ScriptedServer([["read", Self.ok, "read", Self.ok, "wait"]]) }
        do {
            let client = Self.client()
            for server in servers + servers {
                #expect(try await Self.send(client, to: server).status == 200)
            }
        }
        for server in servers {
            #expect(try await Self.summary(server.end()) == ["0 request", "0 request", "0 closed"])
        }
    }

    @Test("Requests at the same time get their own answers, over no more connections than there are at once")
    func concurrent() async throws {
        let server = try ScriptedServer(Array(repeating: ["echo"], count: 8))
        let url = server.url
        do {
            let client = Self.client()
            try await withThrowingTaskGroup { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<25 {
                            let body = Array("\(task) \(number)".utf8)
                            let request = try HTTPClient.Request(url: url, json: .whole(body))
                            let answer = try await client.send(request, keeping: 10, within: .seconds(15))
                            #expect(answer.body == body)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await server.end() == [])
    }

    // MARK: Time

    @Test("A cancelled task waits no longer, and its connection is closed")
    func cancelled() async throws {
        let server = try ScriptedServer([["read", "wait"]])
        let sending = Task { try await Self.send(HTTPClient(), to: server) }
        #expect(try await server.line().hasSuffix("{}"))
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(try await server.end() == ["0 closed"])
    }

    @Test("In a cancelled task nothing is sent")
    func cancelledBefore() async throws {
        let server = try ScriptedServer([["read"]])
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Self.send(HTTPClient(), to: server)
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
        // There may be a connection.
        #expect(try await server.end().filter { $0 != "0 (cut)" } == [])
    }

    @Test("With a bound on its pauses, the body of an answer may take longer than the rest")
    func longBody() async throws {
        let server = try ScriptedServer([["read", "send HTTP/1.1 200 OK\r\n\r\n", "drip"]])
        let request = try HTTPClient.Request(url: server.url)
        let start = ContinuousClock.now
        // At most 50 bytes a second.
        let answer = try await HTTPClient().send(
            request, keeping: 260, within: .seconds(5), pausing: .seconds(15))
        #expect(answer.body.count == 260)
        #expect(ContinuousClock.now - start > .seconds(5))
        _ = try await server.end()
    }

    @Test(
        "An answer that pauses for too long is given up, in its head and in its body",
        arguments: ["", "\r\n", "\r\na"])
    func pause(_ end: String) async throws {
        let server = try ScriptedServer([["read", "send HTTP/1.1 200 OK\r\nX: a\r\n" + end, "wait"]])
        let request = try HTTPClient.Request(url: server.url)
        // A head is waited for as long as for all that is before it.
        let limits: (Duration, Duration) =
            end.isEmpty ? (.milliseconds(500), .seconds(60)) : (.seconds(60), .milliseconds(100))
        await #expect(throws: HTTPClient.Failure.tooSlow) {
            try await HTTPClient().send(request, keeping: 10, within: limits.0, pausing: limits.1)
        }
        _ = try await server.end()
    }

    // MARK: Slow bodies

    @Test("A body in pieces arrives whole")
    func slowBody() async throws {
        let server = try ScriptedServer([["read", Self.ok]])
        let request = try HTTPClient.Request(
            url: server.url, json: .pieces(SlowBody(Array("0123456789".utf8), isCut: false), count: 10))
        #expect(try await HTTPClient().send(request, keeping: 10, within: .seconds(15)).status == 200)
        let told = try await server.end()
        #expect(told.count == 1)
        #expect(told.first?.hasSuffix("|Content-Length: 10||0123456789") == true, "\(told)")
    }

    @Test("A body that is cut ends its connection, and is not sent again", arguments: [0, 1])
    func cutBody(_ earlier: Int) async throws {
        let whole = (0..<earlier).flatMap { _ in ["read", Self.ok] }
        let server = try ScriptedServer([whole + ["read"]])
        let client = Self.client()
        for _ in 0..<earlier {
            #expect(try await Self.send(client, to: server).status == 200)
            #expect(try await server.line().hasSuffix("{}"))
        }
        let request = try HTTPClient.Request(
            url: server.url, json: .pieces(SlowBody(Array("0123456789".utf8), isCut: true), count: 10))
        await #expect(throws: SlowBody.WentAway.self) {
            try await client.send(request, keeping: 10, within: .seconds(15))
        }
        let told = try await server.end()
        #expect(told.count == 1)
        #expect(told.first?.hasSuffix("||012345(cut)") == true, "\(told)")
    }

    @Test("After an answer that comes before the end of the body the connection is closed")
    func earlyAnswer() async throws {
        let server = try ScriptedServer([["head", "send HTTP/1.1 413 Long\r\nContent-Length: 0\r\n\r\n", "wait"]])
        let request = try HTTPClient.Request(
            url: server.url, json: .pieces(SlowBody(Array("0123456789".utf8), isCut: false), count: 10))
        #expect(try await HTTPClient().send(request, keeping: 10, within: .seconds(15)).status == 413)
        #expect(try await server.end().last == "0 closed")
    }
}
