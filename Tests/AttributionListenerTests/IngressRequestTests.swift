import AttributionListener
import TestSupport
import Testing

@Suite("What the ingress hands over", .timeLimit(.minutes(10)))
struct IngressRequestTests {
    @Test("A sound request reaches the handler with its exact body", arguments: AcceptedRequest.all)
    func accepted(row: AcceptedRequest) async throws {
        try await IngressUnderTest.run { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(row.bytes)
                let answer = try client.answer()
                #expect(answer.status == 200)
                #expect(answer.body == #"{"status":"recorded"}"#)
                #expect(answer.fields["content-type"] == "application/json")
                #expect(answer.saysClose != row.staysOpen)
                if row.staysOpen {
                    client.send(Post.request(body: "again"))
                    #expect(try client.answer().status == 200)
                } else {
                    #expect(try client.isClosedByServer())
                }
            }
            let request = try #require(server.requests.first)
            #expect(request.route == row.route)
            #expect(request.body == Array(row.body.utf8))
            #expect(request.receivedAt == IngressUnderTest.receivedAt)
            #expect(request.client == "127.0.0.1")
            #expect(server.requests.count == (row.staysOpen ? 2 : 1))
        }
    }

    @Test("A request that comes byte by byte is whole")
    func byteByByte() async throws {
        try await IngressUnderTest.run { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                for _ in 0..<2 {
                    for character in Post.request(body: "{\"a\":1}").unicodeScalars { client.send(String(character)) }
                    #expect(try client.answer().status == 200)
                }
            }
            #expect(server.requests.map(\.body) == Array(repeating: Array("{\"a\":1}".utf8), count: 2))
        }
    }

    @Test("HTTP/1.0 is told that its connection stays")
    func announcement() async throws {
        try await IngressUnderTest.run { _, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request(version: "1.0", fields: ["Connection: keep-alive"]))
                #expect(try client.answer().fields["connection"] == "keep-alive")
            }
        }
    }

    @Test("100 Continue is sent once the head is found good, and then the answer")
    func expectContinue() async throws {
        try await IngressUnderTest.run { _, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.head(fields: ["Host: a", "Expect: 100-Continue", "Content-Length: 2"]))
                #expect(try client.answer().status == 100)
                client.send("{}")
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test(
        "A refused head gets the final answer instead of 100 Continue",
        arguments: [("Content-Length: 99999", 413), ("Content-Length: 2\r\nContent-Type: text/plain", 415)])
    func expectRefused(field: String, status: Int) async throws {
        try await IngressUnderTest.run { _, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.head(fields: ["Host: a", "Expect: 100-continue", field]))
                let answer = try client.answer()
                #expect(answer.status == status)
                #expect(answer.saysClose)
            }
        }
    }
}
