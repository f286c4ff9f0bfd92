import AttributionHarness
import Foundation
import TestSupport
import Testing

@Suite("Posting one delivery", .timeLimit(.minutes(2)))
struct DeliveryClientTests {
    /// A server that answers every connection with a beginning, and then with a byte now and then.
    private final class DrippingServer {
        private let process = ChildProcess(limit: .seconds(60))
        let url: String

        private static let program = """
            import socket, sys, time
            server = socket.create_server(("127.0.0.1", 0))
            print(server.getsockname()[1], flush=True)
            client, _ = server.accept()
            client.recv(65536)
            client.sendall(sys.argv[1].encode())
            while True:
                client.sendall(b"a")
                time.sleep(0.02)
            """

        init(_ beginning: String) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            process.arguments = ["-c", Self.program, beginning]
            process.standardOutput = output
            try process.run()
            let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            url = "http://127.0.0.1:" + port.trimmingCharacters(in: .newlines) + "/"
        }
    }

    @Test(
        "A server that sends its answer a byte at a time is given up in time",
        arguments: ["HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"])
    func dripping(_ beginning: String) async throws {
        let server = try DrippingServer(beginning)
        let start = ContinuousClock.now
        do {
            let answer = try await DeliveryClient().post(Array("{}".utf8), to: server.url, within: .milliseconds(500))
            Issue.record("answered \(answer.status)")
        } catch {
            #expect(DeliveryClient.reason(error) == "it was too slow to answer", "\(error)")
        }
        // The server would go on for a minute.
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
