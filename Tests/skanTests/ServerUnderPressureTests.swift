import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The server under signals and pressure, as a process", .serialized, .timeLimit(.minutes(5)))
struct ServerUnderPressureTests: FolderSuite {
    /// What a stop may take, with what starting and ending processes beside other tests takes.
    private static let stopBound = Duration.seconds(9)

    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func curl(_ arguments: String...) throws -> String {
        try run(SkanProcess.curl, ["-s", "-i", "--max-time", "60"] + arguments).output
    }

    private func post(_ name: String, to server: SkanServer) throws -> String {
        try write(CommandTests.body(name), to: "body")
        return try curl("-H", "Content-Type: application/json", "--data-binary", "@body", server.url)
    }

    @Test("SIGHUP with nothing to read again is noted and ignored")
    func hangup() throws {
        let server = try SkanServer(in: folder, arguments: [])
        for _ in 0..<2 {
            kill(server.process.processIdentifier, SIGHUP)
            #expect(try server.waitForLog("info SIGHUP ignored: there is nothing to read again"))
        }
        #expect(try post("skan-3.0-win", to: server).contains("\"recorded\""))
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("Signals that mean nothing to it are harmless, it leaves no core dump, and SIGQUIT stops it in order")
    func signals() throws {
        let server = try SkanServer(in: folder, arguments: [])
        for signal in [SIGUSR1, SIGUSR2, SIGALRM] {
            kill(server.process.processIdentifier, signal)
        }
        #expect(try post("skan-3.0-win", to: server).contains("\"recorded\""))
        let limits = try String(contentsOfFile: "/proc/\(server.process.processIdentifier)/limits", encoding: .utf8)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(core)")
        #expect(server.startLog.contains(" warning every network's postbacks count as ours"))
        let end = server.end(SIGQUIT)
        #expect(end.status == 0 && end.log.hasSuffix(" notice stopped\n"), "\(end)")
    }

    @Test("A TLS key replaced by a FIFO holds up neither the reload nor the stop")
    func fifo() throws {
        try folder.makeCertificate("a.example")
        let server = try SkanServer(
            in: folder, arguments: ["--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem"])
        try FileManager.default.removeItem(atPath: folder.path("tls-key.pem"))
        try #require(mkfifo(folder.path("tls-key.pem"), 0o600) == 0)
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("error nothing was reloaded: a file could not be read code=unusable-key error="))
        let start = ContinuousClock.now
        #expect(server.end(SIGTERM).status == 0)
        #expect(ContinuousClock.now - start < Self.stopBound)
    }

    @Test("SIGTERM ends the server in time while another program holds the store's lock; what was answered is there")
    func foreignLock() throws {
        let server = try SkanServer(in: folder, arguments: [])
        #expect(try post("skan-3.0-win", to: server).contains("\"recorded\""))

        let holder = ChildProcess()
        let (input, output) = (Pipe(), Pipe())
        holder.executableURL = SkanProcess.sqlite
        holder.arguments = ["skan.sqlite"]
        holder.currentDirectoryURL = folder.url
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        defer {
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
        }
        try input.fileHandleForWriting.write(contentsOf: Data("BEGIN IMMEDIATE;\nSELECT 'locked';\n".utf8))
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "locked\n")

        // Nobody can answer it while the lock is held; it is on its way when the signal comes.
        try write(CommandTests.body("skan-4.0-web-fine"), to: "body")
        let sender = ChildProcess()
        sender.executableURL = SkanProcess.curl
        sender.arguments = [
            "-s", "-v", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary", "@body",
            server.url,
        ]
        sender.currentDirectoryURL = folder.url
        let (answer, progress) = (Pipe(), Pipe())
        sender.standardOutput = answer
        sender.standardError = progress
        try sender.run()
        var seen = ""
        while !seen.contains("bytes data]") {
            let more = progress.fileHandleForReading.availableData
            try #require(!more.isEmpty, "curl ended before it had sent the postback: \(seen)")
            seen += String(decoding: more, as: UTF8.self)
        }
        let start = ContinuousClock.now
        let end = server.end(SIGTERM)
        let duration = ContinuousClock.now - start
        #expect(duration < Self.stopBound)
        print("stopped after \(duration) while the store was locked")
        // The store's own patience may end first; then the stop ends by itself.
        #expect(end.status == 2 || end.status == 0)
        sender.waitUntilExit()
        let second = String(decoding: answer.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(!second.contains("\"recorded\""))

        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        let restarted = try SkanServer(in: folder, arguments: [])
        #expect(try post("skan-3.0-win", to: restarted).contains("\"duplicate\""))
        #expect(try post("skan-4.0-web-fine", to: restarted).contains("\"recorded\""))
        #expect(restarted.end(SIGTERM).status == 0)
    }

    @Test("A log that is not read does not block the server, and later says how much of it is missing")
    func stalledLog() throws {
        _ = try skan(["simulate", "--count", "1", "--output", "keys", "--keys", "keys"])
        // Its log is a pipe that is read until it listens and then not at all.
        let server = try SkanServer(in: folder, arguments: SkanServer.testKeys + ["--log-level", "debug"])
        let load = try skan(
            ["simulate", "--count", "16000", "--seed", "3", "--keys", "keys", "--concurrency", "64"]
                + ["--post", server.url])
        #expect(load.status == 0, "\(load.output)\(load.errors)")
        #expect(try post("skan-3.0-win", to: server).contains("\"recorded\""))
        #expect(try curl("\(server.console)/healthz").contains("200 OK"))
        #expect(try server.waitForLog("warning log lines were dropped because nothing read them count="))
        #expect(server.end(SIGTERM).log.hasSuffix(" notice stopped\n"))
    }

    @Test("A log that is not read does not delay the stop")
    func stalledLogAtStop() throws {
        _ = try skan(["simulate", "--count", "1", "--output", "keys", "--keys", "keys"])
        let server = try SkanServer(in: folder, arguments: SkanServer.testKeys + ["--log-level", "debug"])
        _ = try skan(
            ["simulate", "--count", "2000", "--seed", "3", "--keys", "keys", "--concurrency", "64"]
                + ["--post", server.url])
        let start = ContinuousClock.now
        kill(server.process.processIdentifier, SIGTERM)
        server.process.waitUntilExit()
        #expect(ContinuousClock.now - start < Self.stopBound)
        #expect(server.process.terminationStatus == 0)
    }

    @Test("With 256 descriptors, floods of half requests leave the console, reports and other clients alone")
    func descriptors() throws {
        let server = try SkanServer(in: folder, arguments: [], openFiles: 256)
        let flood = HalfRequests()
        for host in 2...9 { try flood.open(50, from: UInt8(host), to: server.port) }
        #expect(try curl("\(server.console)/healthz").contains("200 OK"))
        #expect(try curl("\(server.console)/v1/report?by=app").contains("200 OK"))
        let one = HalfRequests()
        try one.open(200, from: 10, to: server.port)
        #expect(try curl("\(server.console)/readyz").contains("200 OK"))
        let end = server.end(SIGTERM)
        #expect(end.status == 0)
        #expect(end.log.contains("warning a connection was closed at once reason=over-"))
        #expect(!end.log.contains("could not be accepted"))
    }

    @Test("Out of descriptors, the listener pauses instead of spinning, and continues when there is one")
    func exhausted() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let id = server.process.processIdentifier
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count
        try limitOpenFiles(of: id, to: open + 2)
        let flood = HalfRequests()
        try flood.open(20, from: 2, to: server.port)
        #expect(try server.waitForLog("warning a connection could not be accepted error="))
        let before = try processorSeconds(id)
        // Nothing can come: this measures the second in which the event loop would have spun.
        #expect(!flood.hearsAnything(withinMilliseconds: 1_000))
        let used = try processorSeconds(id) - before
        #expect(used < 0.3, "\(used) s of processor time in 1 s")
        try limitOpenFiles(of: id, to: 512)
        #expect(try post("skan-3.0-win", to: server).contains("\"recorded\""))
        #expect(server.end(SIGTERM).status == 0)
    }

    /// Changes the soft limit of a process that runs.
    private func limitOpenFiles(of id: Int32, to count: Int) throws {
        let program = URL(fileURLWithPath: "/usr/bin/prlimit")
        let outcome = try run(program, ["--pid", "\(id)", "--nofile=\(count):"])
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// What a process has used of the processors.
    private func processorSeconds(_ id: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        // The name, in parentheses, may hold anything; behind it come state and, as the 12th and 13th, the times.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        let ticks = try #require(Double(fields[12])) + (try #require(Double(fields[13])))
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
