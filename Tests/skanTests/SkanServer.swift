import Foundation

/// A running `skan serve` on free ports of loopback, ended by its process id.
final class SkanServer {
    let process: Process
    let port: Int
    let consolePort: Int
    private let log: Pipe

    static let testKeys = [
        "--trust-test-key", "keys/test-p192.public.pem", "--trust-test-key", "keys/test-p256.public.pem",
    ]

    /// Starts the server, with as many descriptors as are given, and waits until it listens on all.
    init(in folder: WorkFolder, arguments: [String] = testKeys, openFiles: Int? = nil) throws {
        process = Process()
        let serve =
            ["serve", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--store", "skan.sqlite"] + arguments
        if let openFiles {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(openFiles); exec \"$0\" \"$@\"", SkanProcess.binary.path] + serve
        } else {
            process.executableURL = SkanProcess.binary
            process.arguments = serve
        }
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
        var ports: (Int, Int)?
        while ports == nil {
            let more = log.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failed(log: text)
            }
            text += String(decoding: more, as: UTF8.self)
            let hasSocket =
                text.contains(" listening for commands ") || text.contains(" commands cannot reach this server")
            if hasSocket, let postbacks = port("listening for postbacks"),
                let console = port("listening for the console")
            {
                ports = (postbacks, console)
            }
        }
        (self.port, consolePort) = ports ?? (0, 0)
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

    /// Reads the log until a line has come, or until the server ends.
    func waitForLog(_ text: String) throws -> Bool {
        var log = ""
        while !log.contains(text) {
            let more = self.log.fileHandleForReading.availableData
            guard !more.isEmpty else {
                return false
            }
            log += String(decoding: more, as: UTF8.self)
        }
        return true
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
