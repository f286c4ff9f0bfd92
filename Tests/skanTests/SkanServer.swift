import Foundation
import Glibc
import TestSupport

/// A running `skan serve` on free ports of loopback, ended by its process id.
final class SkanServer {
    let process: ChildProcess
    let port: Int
    let consolePort: Int
    /// The port of the signing listener; 0 without one, and at a socket.
    let signingPort: Int
    /// What was logged until it listened on all.
    let startLog: String
    private let log: Pipe

    static let testKeys = [
        "--trust-test-key", "keys/test-p192.public.pem", "--trust-test-key", "keys/test-p256.public.pem",
    ]

    /// The options of a server that also signs.
    static let signing = ["--signing-keys", "keys.json", "--signing", "127.0.0.1:0"]

    /// Starts the server, with as many descriptors as are given or by a program that runs others, and waits until it
    /// listens on all.
    ///
    /// Without a store it only signs.
    init(
        in folder: WorkFolder, store: String? = "skan.sqlite", arguments: [String] = testKeys, openFiles: Int? = nil,
        through launcher: [String] = []
    ) throws {
        process = ChildProcess()
        let serve =
            ["serve", "--console", "127.0.0.1:0"]
            + (store.map { ["--listen", "127.0.0.1:0", "--store", $0] } ?? []) + arguments
        let limiter = openFiles.map { ["/bin/sh", "-c", "ulimit -n \($0); exec \"$0\" \"$@\""] }
        let words = launcher + (limiter ?? []) + [SkanProcess.binary.path] + serve
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = folder.url
        log = Pipe()
        process.standardError = log
        try process.run()
        var text = ""
        func port(_ line: String) -> Int? {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let fields = lines.first { $0.contains(" \(line) ") }?.split(separator: " ")
            let address = fields?.first { $0.hasPrefix("address=") }
            return address?.split(separator: ":").last.flatMap { Int($0) }
        }
        let signs = arguments.contains("--signing")
        var ports: (Int, Int)?
        while ports == nil {
            let more = log.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failed(log: text)
            }
            text += String(decoding: more, as: UTF8.self)
            let hasSocket =
                store?.contains("://") != false || text.contains(" listening for commands ")
                || text.contains(" commands cannot reach this server")
            if hasSocket, !signs || text.contains(" listening for signing address="),
                let postbacks = store == nil ? 0 : port("listening for postbacks"),
                let console = port("listening for the console")
            {
                ports = (postbacks, console)
            }
        }
        (self.port, consolePort) = ports ?? (0, 0)
        signingPort = port("listening for signing") ?? 0
        startLog = text
    }

    struct Failed: Error {
        let log: String
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
    }

    var url: String {
        "http://127.0.0.1:\(port)/skadnetwork/postbacks"
    }

    var console: String {
        "http://127.0.0.1:\(consolePort)"
    }

    /// Where it signs.
    var signer: String {
        "http://127.0.0.1:\(signingPort)"
    }

    /// Reads the log until a text has come, or until the server ends.
    func waitForLog(_ text: String) throws -> Bool {
        try lineOfLog(text) != nil
    }

    /// Reads the log until a text has come and its line is whole, or until the server ends.
    ///
    /// - Returns: The line; nil when the server ended without it.
    func lineOfLog(_ text: String) throws -> String? {
        var log = ""
        while true {
            let line = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.contains(text) }
            if let line {
                return String(line)
            }
            let more = self.log.fileHandleForReading.availableData
            guard !more.isEmpty else {
                return nil
            }
            log += String(decoding: more, as: UTF8.self)
        }
    }

    /// Sends a signal and waits for the end.
    ///
    /// - Returns: The exit status, and what was logged since it listened.
    func end(_ signal: Int32) -> (status: Int32, log: String) {
        kill(process.processIdentifier, signal)
        let rest = log.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: rest, as: UTF8.self))
    }
}

/// Connections that begin a request and never end it.
final class HalfRequests {
    private var descriptors: [Int32] = []

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Opens connections to a port of 127.0.0.1 from the loopback address with this last number.
    func open(_ count: Int, from host: UInt8, to port: Int) throws {
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
            descriptors.append(descriptor)
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            guard Loopback.call(bind, descriptor, host: "127.0.0.\(host)", port: 0),
                Loopback.call(connect, descriptor, port: port)
            else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            let half = Array("POST /skadnetwork/postbacks HTTP/1.1\r\nHost: a\r\nX: ".utf8)
            _ = send(descriptor, half, half.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Whether an answer, or the end, comes on the last connection within the time.
    func hearsAnything(withinMilliseconds milliseconds: Int32) -> Bool {
        guard let last = descriptors.last else { return false }
        var entry = pollfd(fd: last, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
