import AttributionHarness
import AttributionListener
import Foundation
import NIOCore
import TestSupport
import Testing

@Suite("Posting one delivery", .timeLimit(.minutes(2)))
struct DeliveryClientTests {
    private static func failure(of url: String, within limit: Duration = .seconds(15)) async -> (any Error)? {
        do {
            _ = try await DeliveryClient().post(Array("{}".utf8), to: url, within: limit)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A server that sends its answer a byte at a time is given up in time",
        arguments: [
            "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        ])
    func dripping(_ beginning: String) async throws {
        let server = try ScriptedServer([["read", "send " + beginning, "drip"]])
        let start = ContinuousClock.now
        let error = try #require(await Self.failure(of: server.url, within: .milliseconds(500)))
        #expect(DeliveryClient.reason(error) == "it was too slow to answer", "\(error)")
        // As long as the connection lasts, the server would go on for a minute.
        _ = try await server.end()
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("A server that sends without end is cut off, and answers with the beginning")
    func endless() async throws {
        let long = String(repeating: "a", count: (64 << 10) + 1)
        let server = try ScriptedServer([["read", "send HTTP/1.1 200 OK\r\n\r\n" + long, "wait"]])
        let answer = try await DeliveryClient().post(Array("{}".utf8), to: server.url)
        #expect(answer.status == 200)
        #expect(answer.body.count == 64 << 10)
        #expect(try await server.end().last == "0 closed")
    }

    @Test("Where nobody listens, the reason says so", arguments: ["127.0.0.1", "localhost"])
    func refused(_ host: String) async throws {
        let closed = try TakenPort(isListening: false)
        defer { withExtendedLifetime(closed) {} }
        let error = try #require(await Self.failure(of: "http://\(host):\(closed.port)/"))
        #expect(DeliveryClient.reason(error) == "Connection refused", "\(error)")
        #expect(DeliveryClient.isUnreachable(error))
    }

    @Test(
        "Of several addresses, one that refused is the reason",
        arguments: [
            ([EADDRNOTAVAIL, ECONNREFUSED], "Connection refused"), ([ECONNREFUSED, ENETUNREACH], "Connection refused"),
            ([EADDRNOTAVAIL, ENETUNREACH], "Cannot assign requested address"),
        ])
    func addresses(_ codes: [CInt], _ reason: String) {
        #expect(HTTPClient.reason(ofEach: codes.map { IOError(errnoCode: $0, reason: "connect") }) == reason)
    }

    @Test(
        "A connection without an answer is told from one that could not be made",
        arguments: [
            ([], "it closed the connection before its answer was whole"), (["reset"], "Connection reset by peer"),
            (["send H", "reset"], "Connection reset by peer"),
            (["send no HTTP\r\n\r\n"], "its answer is not valid HTTP"),
        ])
    func unanswered(_ steps: [String], _ reason: String) async throws {
        let server = try ScriptedServer([["read"] + steps])
        let error = try #require(await Self.failure(of: server.url))
        #expect(DeliveryClient.reason(error) == reason, "\(error)")
        #expect(!DeliveryClient.isUnreachable(error))
        #expect(try await server.end().count == 1)
    }

    @Test(
        "A certificate that this machine does not trust, and a server without TLS, are named", arguments: [true, false])
    func distrust(_ hasTLS: Bool) async throws {
        let files = ["first-certificate.pem", "first-key.pem"].map(Fixture.path)
        let server = try ScriptedServer([
            (hasTLS ? ["tls " + files.joined(separator: " ")] : ["send no TLS here, and no HTTP either"]) + ["read"]
        ])
        let error = try #require(await Self.failure(of: "https://127.0.0.1:\(server.port)/"))
        #expect(
            DeliveryClient.reason(error)
                == "this machine does not trust its certificate, or they have no version of TLS in common", "\(error)")
        #expect(!DeliveryClient.isUnreachable(error))
        let told = try await server.end()
        #expect(!told.isEmpty && !told.contains { $0.contains("POST") }, "\(told)")
    }
}
