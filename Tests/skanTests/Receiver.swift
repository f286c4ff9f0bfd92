import Foundation
import TestSupport

/// A destination of postbacks on 127.0.0.1, whose path says what it does.
///
/// `/good` takes everything, `/slow` after a moment, `/hang` never answers, `/lie` announces more than it sends,
/// `/redirect` answers 302 to `/good`, and `/refuse` answers what its file `status` says.
final class Receiver {
    /// A request that was received whole.
    struct Request {
        let path: String
        let id: String
        let body: String
    }

    private static let program = """
        import base64, http.server, json, os, sys, threading, time

        lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    print(json.dumps([self.path, self.headers["webhook-id"], base64.b64encode(body).decode()]), flush=True)
                status = 200
                if self.path == "/slow":
                    time.sleep(0.05)
                elif self.path == "/hang":
                    time.sleep(3600)
                elif self.path == "/lie":
                    self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 50\\r\\n\\r\\nno")
                    self.close_connection = True
                    return
                elif self.path == "/redirect":
                    status = 302
                elif self.path == "/refuse":
                    status = int(open(sys.argv[1]).read())
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/good")
                self.send_header("Content-Length", "5")
                self.end_headers()
                self.wfile.write(b"words")

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 100

        server = Server(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private(set) var port = 0
    private let process = ChildProcess()
    private let output = Pipe()
    private var read: [UInt8] = []

    /// Starts it; `status` is the file that `/refuse` looks into.
    init(status: String = "/dev/null") throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.program, status]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        port = Int(line()) ?? 0
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Where a path is.
    func url(_ path: String) -> String {
        "http://127.0.0.1:\(port)/\(path)"
    }

    /// The next request; nil when it has ended.
    func next() throws -> Request? {
        let line = line()
        guard let fields = try? JSONDecoder().decode([String?].self, from: Data(line.utf8)), fields.count == 3,
            let body = Data(base64Encoded: fields[2] ?? "")
        else {
            return nil
        }
        return Request(path: fields[0] ?? "", id: fields[1] ?? "", body: String(decoding: body, as: UTF8.self))
    }

    /// Reads requests until some have come for a path, counted by their bodies.
    func requests(_ count: Int, to path: String) throws -> [Request] {
        var (found, bodies) = ([Request](), Set<String>())
        while bodies.count < count, let request = try next() {
            if request.path == "/" + path {
                found.append(request)
                bodies.insert(request.body)
            }
        }
        return found
    }

    private func line() -> String {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                defer { read.removeFirst(end + 1) }
                return String(decoding: read[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return "" }
            read += more
        }
    }
}
