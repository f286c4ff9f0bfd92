import Foundation
import Glibc

/// A server that does on each connection what a script says, and tells what it saw.
///
/// A step is `read` (a request, body included), `head` (a request without its body), `send TEXT`, `drip` (a byte now
/// and then until the client goes away), `wait` (until the client goes away), `reset` or `tls CERTIFICATE KEY`; a
/// connection is closed after its last step, and only then the next one served. The only step `echo` answers requests
/// with their bodies, at the same time as other connections.
///
/// It tells of requests as `0 POST / HTTP/1.1|Host: …||{}`, with the number of the connection, and of clients that went
/// away as `0 closed`; a request of which the client sends no more ends in `(cut)`.
package final class ScriptedServer: Sendable {
    private static let program = """
        import json, select, socket, ssl, struct, sys, threading, time

        plan = json.loads(sys.argv[1])
        server = socket.create_server(("127.0.0.1", 0))
        print(server.getsockname()[1], flush=True)

        def tell(index, text):
            print(index, text.replace("\\r\\n", "|"), flush=True)

        def read(client, with_body):
            data = b""
            while True:
                head, end, body = data.partition(b"\\r\\n\\r\\n")
                length = [int(line[15:]) for line in head.split(b"\\r\\n") if line.startswith(b"Content-Length:")]
                # A client may also begin a handshake of TLS.
                text = data.decode(errors="backslashreplace")
                if end and (not with_body or len(body) >= sum(length)):
                    return text
                piece = client.recv(65536)
                if not piece:
                    return text + "(cut)"
                data += piece

        def run(index, client, steps):
            for step in steps:
                name, _, text = step.partition(" ")
                if name in ("read", "head"):
                    tell(index, read(client, name == "read"))
                elif name == "send":
                    client.sendall(text.encode())
                elif name == "drip":
                    while True:
                        client.sendall(b"a")
                        time.sleep(0.02)
                elif name == "echo":
                    while not (text := read(client, True)).endswith("(cut)"):
                        body = text.partition("\\r\\n\\r\\n")[2]
                        client.sendall(f"HTTP/1.1 200 OK\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
                elif name == "wait":
                    while client.recv(65536):
                        pass
                    tell(index, "closed")
                elif name == "reset":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                elif name == "tls":
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(*text.split(" "))
                    client = context.wrap_socket(client, server_side=True)
            client.close()

        def serve(index, client, steps):
            try:
                run(index, client, steps)
            except (ConnectionError, ssl.SSLError):
                tell(index, "closed")
                client.close()

        index = 0
        while True:
            ready, _, _ = select.select([server, sys.stdin], [], [])
            if server not in ready:
                break
            client, _ = server.accept()
            client.settimeout(20)
            if index >= len(plan):
                tell(index, "not planned")
                client.close()
            elif plan[index] == ["echo"]:
                threading.Thread(target=serve, args=(index, client, plan[index])).start()
            else:
                serve(index, client, plan[index])
            index += 1
        """

    private let process = ChildProcess(limit: .seconds(60))
    private let input = Pipe()
    private let output = Pipe()
    /// Where it listens on 127.0.0.1.
    package let port: Int

    /// Starts it.
    ///
    /// - Throws: When it does not start.
    package init(_ connections: [[String]]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let plan = try JSONEncoder().encode(connections)
        process.arguments = ["-c", Self.program, String(decoding: plan, as: UTF8.self)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        port = Int(Self.line(from: output)) ?? 0
    }

    package var url: String { "http://127.0.0.1:\(port)/" }

    /// The next thing it tells.
    package func line() async throws -> String {
        let output = output
        return try await blocking { Self.line(from: output) }
    }

    /// Ends it after the connections that were made, and takes what it has told since ``line()``.
    package func end() async throws -> [String] {
        try input.fileHandleForWriting.close()
        let output = output
        let told = try await blocking { output.fileHandleForReading.readDataToEndOfFile() }
        return String(decoding: told, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func line(from output: Pipe) -> String {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8), !byte.isEmpty {
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// A port of 127.0.0.1 that nobody else can take.
package final class TakenPort: Sendable {
    private let descriptor: Int32
    package let port: Int

    private struct Failed: Error {}

    /// Takes a free port.
    ///
    /// - Throws: When there is none.
    package init(isListening: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Loopback.takePort(descriptor), !isListening || listen(descriptor, 1) == 0 else {
            throw Failed()
        }
        self.port = port
    }

    deinit {
        close(descriptor)
    }
}
