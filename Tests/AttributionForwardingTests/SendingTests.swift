import Attribution
import AttributionForwarding
import AttributionStore
import Foundation
import Platform
import StrictJSON
import TestSupport
import Testing

@Suite("Requests and what becomes of them", .timeLimit(.minutes(2)))
struct SendingTests {
    private static let raw = #""body": "raw""#

    // MARK: Answers

    @Test(
        "Status, pause and the beginning of the answer are told, and redirects are not followed",
        arguments: [
            ("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", 204, "", nil, true),
            (
                "HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nConnection: close\r\nContent-Length: 4\r\n\r\nwait", 429,
                "wait",
                120, false
            ),
            (
                "HTTP/1.1 503 No\r\nRetry-After: Fri, 15 Jan 2027 08:01:40 GMT\r\nContent-Length: 0\r\n\r\n", 503, "",
                100,
                false
            ),
            ("HTTP/1.1 503 No\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", 503, "", nil, false),
            ("HTTP/1.1 307 Away\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 307, "", nil, false),
            (
                "HTTP/1.1 400 Bad\r\n\r\n" + String(repeating: "a", count: 5000), 400,
                String(repeating: "a", count: 2000), nil, false
            ),
        ] as [(String, Int, String, Int?, Bool)])
    func answers(_ text: String, _ status: Int, _ excerpt: String, _ pause: Int?, _ isDelivered: Bool) async throws {
        let server = try ScriptedServer([["read", "send " + text]])
        let bench = try Bench()
        let destination = try Bench.destination(server.port, Self.raw)
        let result = try await bench.send(try bench.body(.v4_0), to: destination)
        #expect(
            result
                == .answered(
                    DeliveryResult.Answer(status: status, excerpt: excerpt, retryAfter: pause.map { .seconds($0) })))
        #expect(result.isDelivered == isDelivered)
        #expect(try await server.end().count == 1)
    }

    @Test(
        "A failure is told in words",
        arguments: [
            (["read", "wait"], "too slow"), (["read", "reset"], "onnection"),
            (["read", "send nonsense\r\n\r\n"], "HTTP"),
        ])
    func failures(_ steps: [String], _ words: String) async throws {
        let server = try ScriptedServer([steps])
        let bench = try Bench()
        let destination = try Bench.destination(server.port, Self.raw)
        let limit: Duration = steps.contains("wait") ? .milliseconds(500) : .seconds(20)
        guard case .failed(let reason) = try await bench.send(try bench.body(.v4_0), to: destination, within: limit)
        else {
            Issue.record("it was answered")
            return
        }
        #expect(reason.contains(words), "\(reason)")
        _ = try await server.end()
    }

    @Test("A server whose certificate this machine does not trust gets nothing")
    func distrusted() async throws {
        let server = try ScriptedServer([
            ["tls \(Fixture.path("first-certificate.pem")) \(Fixture.path("first-key.pem"))", "read"]
        ])
        let bench = try Bench()
        let destination = try Bench.destinations(
            #"{"name": "d", "url": "https://127.0.0.1:\#(server.port)/", "allow": ["127.0.0.1"], \#(Self.raw)}"#)[0]
        guard case .failed(let reason) = try await bench.send(try bench.body(.v4_0), to: destination) else {
            Issue.record("it was answered")
            return
        }
        #expect(reason.contains("certificate"), "\(reason)")
        #expect(try await server.end().allSatisfy { !$0.contains("POST") })
    }

    @Test("A proxy is asked to connect, and what it says is told if it does not")
    func proxy() async throws {
        let proxy = try ScriptedServer([
            ["head", "send HTTP/1.1 200 Connected\r\n\r\n"] + Bench.accepts,
            ["head", "send HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"],
        ])
        let bench = try Bench()
        let destination = try Bench.destination(9, #""proxy": "http://127.0.0.1:\#(proxy.port)", \#(Self.raw)"#)
        #expect(try await bench.send(try bench.body(.v4_0), to: destination).isDelivered)
        let refused = try await bench.send(try bench.body(.v4_0), to: destination)
        #expect(refused == .failed("127.0.0.1:9: the proxy does not connect to it: status 403"))
        let seen = try await proxy.end().map { SeenRequest($0).line }
        #expect(seen == ["CONNECT 127.0.0.1:9 HTTP/1.1", "POST / HTTP/1.1", "CONNECT 127.0.0.1:9 HTTP/1.1"])
    }

    // MARK: Headers

    @Test("Requests are signed as Standard Webhooks has it, with both secrets while one is replaced")
    func signatures() async throws {
        let keys = [UInt8](0..<32)
        let secrets = [keys, Array(keys.reversed())]
        let folder = try SecretFolder()
        try folder.write(secrets.map { "whsec_" + Base64.encode($0) }.joined(separator: "\n") + "\n", to: "secret")
        let server = try ScriptedServer([Bench.accepts, Bench.accepts, Bench.accepts])
        let bench = try Bench()
        let signed = try Bench.destination(
            server.port, #""secret-file": "secret", "headers": {"X-Network": "example"}, \#(Self.raw)"#,
            folder: folder.path)
        let body = try bench.body(.v4_0)
        let client = DestinationClient()
        // Two copies of a store, in which the postback has different ids, and two attempts.
        for (id, time) in [(1, 1_800_000_000), (7, 1_800_000_005)] as [(Int64, Int64)] {
            let request = try OutgoingRequest(
                try bench.outgoing(body, id: id), to: signed, verifier: bench.verifier)
            #expect(await client.send(request, to: signed, at: time).isDelivered)
        }
        let other = try Bench.destinations(
            #"{"name": "e", "url": "\#(server.url)", "allow": ["127.0.0.1"], \#(Self.raw)}"#)[0]
        #expect(try await bench.send(body, to: other).isDelivered)
        let seen = try await server.end().map { SeenRequest($0).fields }
        let id = try #require(seen[0]["webhook-id"])
        #expect(!id.contains("."))
        #expect(seen[1]["webhook-id"] == id)
        #expect(seen[2]["webhook-id"] != id)
        #expect(seen.map { $0["webhook-timestamp"] } == ["1800000000", "1800000005", "1800000000"])
        for (fields, time) in zip(seen, ["1800000000", "1800000005"]) {
            let text = Array("\(id).\(time).".utf8) + body
            let expected = secrets.map { "v1," + Base64.encode(SHA256.authenticationCode(of: text, key: $0)) }
            #expect(fields["webhook-signature"] == expected.joined(separator: " "))
            #expect(fields["content-type"] == "application/json")
            #expect(fields["x-network"] == "example")
        }
        #expect(seen[2]["webhook-signature"] == nil)
    }

    @Test("Message authentication codes are those of RFC 4231")
    func authenticationCode() {
        let code = SHA256.authenticationCode(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(
            code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("A token goes into the URL and the header, and is not told when a receiver repeats it")
    func tokens() async throws {
        let folder = try SecretFolder()
        try folder.write("s3cret-token\n", to: "token")
        let server = try ScriptedServer([
            ["read", "send HTTP/1.1 401 No\r\nContent-Length: 24\r\n\r\nno token is s3cret-token"]
        ])
        let bench = try Bench()
        let destination = try Bench.destination(
            server.port, path: "{secret}",
            #""secret-file": "token", "headers": {"Authorization": "Bearer {secret}"}, \#(Self.raw)"#,
            folder: folder.path)
        let result = try await bench.send(try bench.body(.v4_0), to: destination)
        #expect(
            result
                == .answered(
                    DeliveryResult.Answer(status: 401, excerpt: "no token is (secret)", retryAfter: nil)))
        let seen = SeenRequest(try #require(try await server.end().first))
        #expect(seen.line == "POST /s3cret-token HTTP/1.1")
        #expect(seen.fields["authorization"] == "Bearer s3cret-token")
        #expect(!"\(destination)".contains("s3cret"))
    }

    // MARK: What does not leave

    @Test("What does not verify again, or is another one's, is not sent")
    func unverified() throws {
        let bench = try Bench()
        let body = try bench.body(.v4_0)
        let flipped = Array(
            String(decoding: body, as: UTF8.self).replacing("9007199254740993", with: "9007199254740992").utf8)
        let other = PostbackDigests(
            try ReceivedPostback(reading: try bench.body(.v4_0, id: "other")), provenance: .test)
        let rows = [
            Bench.recorded(body), Bench.recorded(flipped), Bench.recorded(nil), Bench.recorded(body, traffic: .apple),
            RecordedPostback(
                id: 5, recordedAtMilliseconds: 0, receivedAtMilliseconds: Bench.receivedAt, recipient: .network,
                traffic: .test, keyName: "", body: body, check: nil, digests: other),
        ]
        let read = OutgoingPostback.read(rows, by: bench.verifier)
        #expect(try read[0].get().key == PostbackDigests.key(of: read[0].get().postback, provenance: .test))
        for (result, isExpected) in zip(
            read.dropFirst(),
            [
                { if case .notVerified = $0 { true } else { false } }, { $0 == .noBytes }, { $0 == .otherBytes },
                { $0 == .otherBytes },
            ] as [(OutgoingProblem) -> Bool])
        {
            guard case .failure(let problem) = result else {
                Issue.record("it would be sent")
                continue
            }
            #expect(isExpected(problem), "\(problem)")
            #expect(!problem.isTemporary)
        }
    }

    @Test("What is added is verified by the keys of now")
    func verifiedAgain() throws {
        let bench = try Bench()
        let outgoing = try bench.outgoing(try bench.body(.v4_0))
        let destination = try Bench.destinations(
            #"{"name": "d", "url": "https://partner.example/", "body": "raw+members"}"#)[0]
        #expect(throws: OutgoingProblem.self) {
            try OutgoingRequest(outgoing, to: destination, verifier: try Bench().verifier)
        }
    }

    @Test(
        "A value of the path is one segment, whatever it is",
        arguments: [("a/../b?c#d", true), ("..", false), ("ü%2F", true)])
    func segments(_ id: String, _ isSent: Bool) async throws {
        let bench = try Bench()
        let server = try ScriptedServer([Bench.accepts])
        let destination = try Bench.destination(server.port, path: "x/{transaction-id}/y", Self.raw)
        let outgoing = try bench.outgoing(try bench.body(.v4_0, id: id))
        guard isSent else {
            #expect(throws: OutgoingProblem.lacks("transaction-id")) {
                try OutgoingRequest(outgoing, to: destination, verifier: bench.verifier)
            }
            return
        }
        let request = try OutgoingRequest(outgoing, to: destination, verifier: bench.verifier)
        #expect(await DestinationClient().send(request, to: destination, at: 0).isDelivered)
        let target = SeenRequest(try #require(try await server.end().first)).line.split(separator: " ")[1]
        let segments = target.split(separator: "/")
        #expect(segments.count == 3)
        #expect(segments[1].removingPercentEncoding == id)
    }

    // MARK: Filters

    @Test(
        "A destination gets what all its filters accept",
        arguments: [
            ("{}", false, false), (#"{"provenance": "test"}"#, true, true),
            (#"{"provenance": "test", "framework": "skadnetwork"}"#, true, false),
            (#"{"provenance": "test", "framework": "adattributionkit"}"#, false, true),
            (#"{"provenance": "test", "versions": ["4.0"]}"#, true, false),
            (#"{"provenance": "test", "versions": ["3.0"]}"#, false, false),
            (#"{"provenance": "test", "apps": [9007199254740993]}"#, true, false),
            (#"{"provenance": "test", "apps": [9007199254740992, 525463029]}"#, false, true),
            (#"{"provenance": "test", "networks": ["EXAMPLE123.skadnetwork"]}"#, true, false),
            (#"{"provenance": "test", "did-win": false}"#, false, true),
            (#"{"provenance": "test", "windows": [1, 2]}"#, false, true),
            (#"{"provenance": "test", "conversion-types": ["redownload"]}"#, true, false),
            (#"{"provenance": "test", "conversion-types": ["download", "re-engagement"]}"#, false, true),
        ])
    func filters(_ filters: String, _ skAdNetwork: Bool, _ adAttributionKit: Bool) throws {
        let bench = try Bench()
        let destination = try Bench.destinations(
            #"{"name": "d", "url": "https://partner.example/", "body": "raw", "filters": \#(filters)}"#)[0]
        #expect(destination.filters.accept(try bench.outgoing(try bench.body(.v4_0))) == skAdNetwork)
        #expect(destination.filters.accept(try bench.outgoing(try bench.adAttributionKitBody())) == adAttributionKit)
    }

    @Test("Versions without did-win and windows count as winners' first postbacks, and 1.0 proves no redownload")
    func olderVersions() throws {
        let bench = try Bench()
        let outgoing = try bench.outgoing(try bench.body(.v1_0))
        for (filter, isAccepted) in [
            (#""did-win": true, "windows": [0]"#, true), (#""did-win": false"#, false),
            (#""conversion-types": ["download", "redownload"]"#, false),
        ] {
            let destination = try Bench.destinations(
                #"{"name": "d", "url": "https://p.example/", "body": "raw", "filters": {"provenance": "test", \#(filter)}}"#
            )[0]
            #expect(destination.filters.accept(outgoing) == isAccepted, "\(filter)")
        }
    }
}
