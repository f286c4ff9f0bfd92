import Foundation
import Glibc
import Synchronization

/// A server of PostgreSQL 15 in a temporary folder, as a plain process: on a socket in that folder, and on a free port of
/// 127.0.0.1.
///
/// PostgreSQL does not run as root; then it runs as Debian's user `postgres`. It ends with the tests, and after half an
/// hour in any case.
package final class PostgreSQLServer: Sendable {
    /// What cannot be done without a server.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The port on 127.0.0.1.
    package let port: Int
    private let folder: String
    private let process: Mutex<ChildProcess?>
    private let databases = Mutex(0)

    private static let binaries = "/usr/lib/postgresql/15/bin"
    private static let user = "postgres"

    private static let started = Result { try PostgreSQLServer() }

    /// The server that tests share; each makes a database of its own.
    ///
    /// - Throws: Which package is missing, or the server's log.
    package static func shared() throws -> PostgreSQLServer {
        try started.get()
    }

    /// Makes a cluster and starts its server.
    ///
    /// - Throws: Which package is missing, or the server's log.
    package init(settings: [String] = []) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.binaries + "/postgres") else {
            throw Failure(description: "there is no \(Self.binaries)/postgres: apt-get install postgresql-15 libpq5")
        }
        // Short, for the path of a socket has room for 107 bytes.
        folder = "/tmp/skan-pg-\(UUID().uuidString.prefix(8))"
        port = try TakenPort(isListening: false).port
        process = Mutex(nil)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0 {
            try Self.run(["/bin/chown", Self.user, folder])
        }
        try Self.run(
            Self.command([
                "initdb", "--pgdata", folder + "/data", "--username", Self.user, "--auth", "trust", "--no-sync",
                "--encoding", "UTF8", "--locale", "C.UTF-8",
            ]))
        let configuration = [
            "listen_addresses = '127.0.0.1'", "port = \(port)", "unix_socket_directories = '\(folder)'", "fsync = on",
            "max_connections = 200", "log_min_messages = fatal", "shared_buffers = '64MB'",
        ]
        try Self.append(configuration + settings, to: folder + "/data/postgresql.conf")
        try start()
        atexit {
            if case .success(let server) = PostgreSQLServer.started {
                server.stop()
                try? FileManager.default.removeItem(atPath: server.folder)
            }
        }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the server again, after ``stop(isAbrupt:)``.
    package func start() throws {
        let server = ChildProcess(limit: .seconds(1_800))
        let command = Self.command(["postgres", "-D", folder + "/data"])
        // Ends by itself, whatever becomes of the tests.
        server.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        server.arguments = ["--signal=QUIT", "1800"] + command
        _ = FileManager.default.createFile(atPath: folder + "/log", contents: nil)
        server.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "/log"))
        try server.run()
        process.withLock { $0 = server }
        let end = ContinuousClock.now + .seconds(60)
        while (try? Self.run(Self.command(["pg_isready", "--quiet", "--host", "127.0.0.1", "--port", "\(port)"])))
            == nil
        {
            guard server.isRunning, ContinuousClock.now < end else {
                let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
                throw Failure(description: "PostgreSQL does not start: \(log)")
            }
            usleep(50_000)
        }
    }

    /// Ends the server, abruptly or with everything in order.
    package func stop(isAbrupt: Bool = true) {
        process.withLock { process in
            guard let running = process, running.isRunning else {
                return
            }
            let lock = folder + "/data/postmaster.pid"
            let first = (try? String(contentsOfFile: lock, encoding: .utf8))?.split(separator: "\n").first
            // SIGQUIT: at once, as if the power failed. SIGINT: connections are ended, and the rest is written.
            kill(first.flatMap { pid_t($0) } ?? running.processIdentifier, isAbrupt ? SIGQUIT : SIGINT)
            // The process itself cannot be waited for when the tests end.
            let end = ContinuousClock.now + .seconds(10)
            while FileManager.default.fileExists(atPath: lock), ContinuousClock.now < end {
                usleep(10_000)
            }
            process = nil
        }
    }

    /// Stops all processes of the server, as a machine that hangs does, or lets them go on.
    package func pause(_ isPaused: Bool) throws {
        let lock = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        guard let first = lock.split(separator: "\n").first, let server = pid_t(first) else {
            throw Failure(description: "PostgreSQL does not run")
        }
        // The first of them forks no more while it is stopped.
        kill(server, isPaused ? SIGSTOP : SIGCONT)
        let children = try String(contentsOfFile: "/proc/\(server)/task/\(server)/children", encoding: .utf8)
        for child in children.split(separator: " ") {
            pid_t(child).map { _ = kill($0, isPaused ? SIGSTOP : SIGCONT) }
        }
    }

    /// A new database.
    ///
    /// - Returns: Its address.
    package func makeDatabase() throws -> String {
        let number = databases.withLock { number in
            number += 1
            return number
        }
        let name = "skan_\(getpid())_\(number)"
        try sql("CREATE DATABASE \(name) TEMPLATE template0", database: "postgres")
        return address(name)
    }

    /// The address of a database, perhaps by another port, as that of a proxy.
    package func address(_ database: String, port: Int? = nil, user: String = PostgreSQLServer.user) -> String {
        "postgresql://\(user)@127.0.0.1:\(port ?? self.port)/\(database)"
    }

    /// Runs a statement with psql.
    ///
    /// - Returns: Its rows, a line each, with `|` between the values.
    @discardableResult
    package func sql(_ statement: String, database: String) throws -> String {
        try Self.run([
            Self.binaries + "/psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set",
            "ON_ERROR_STOP=1",
            "--dbname", database.contains("://") ? database : address(database), "--command", statement,
        ])
    }

    // MARK: Processes

    /// A program of PostgreSQL's, as a user who may run it.
    private static func command(_ program: [String]) -> [String] {
        let command = [binaries + "/" + program[0]] + program.dropFirst()
        return getuid() == 0
            ? ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"] + command : command
    }

    @discardableResult
    private static func run(_ command: [String]) throws -> String {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command[0]) failed: \(problem)")
        }
        return text.trimmingCharacters(in: .newlines)
    }

    private static func append(_ lines: [String], to path: String) throws {
        let present = try String(contentsOfFile: path, encoding: .utf8)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(
            contentsOf: Data(((present.hasSuffix("\n") ? "" : "\n") + lines.joined(separator: "\n") + "\n").utf8))
        try handle.close()
    }
}
