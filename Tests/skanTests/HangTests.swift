import Foundation
import TestSupport
import Testing

@Suite("The server when its store hangs, as a process", .serialized, .timeLimit(.minutes(5)))
struct HangTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        _ = try SkanProcess.run(["simulate", "--count", "3", "--output", "sim", "--keys", "keys"], in: folder.url)
    }

    /// Posts a simulated postback.
    ///
    /// - Returns: The answer, its status, and how many seconds it took.
    private func post(_ index: Int, to server: SkanServer) throws -> (text: String, status: String, seconds: Double) {
        let bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n")
        try Data(bodies[index].utf8).write(to: folder.url.appendingPathComponent("body"))
        let outcome = try SkanProcess.run(
            SkanProcess.curl,
            [
                "-s", "--max-time", "60", "-w", "\n%{http_code} %{time_total}", "-H",
                "Content-Type: application/json", "--data-binary", "@body", server.url,
            ], in: folder.url)
        let lines = outcome.output.split(separator: "\n")
        let figures = (lines.last ?? "").split(separator: " ")
        return (String(lines.first ?? ""), String(figures.first ?? ""), Double(figures.last ?? "") ?? 60)
    }

    @Test("With PostgreSQL stopped, posts are answered 503 within five seconds, then at once, and it is not ready")
    func stoppedDatabase() throws {
        let database = try PostgreSQLServer()
        let server = try SkanServer(in: folder, store: database.makeDatabase())
        #expect(try post(0, to: server).status == "200")
        try database.pause(true)
        let first = try post(1, to: server)
        #expect(first.status == "503" && first.seconds < 5, "\(first)")
        #expect(try server.readiness(folder).contains("has not ended for more than 3 seconds"))
        let second = try post(2, to: server)
        #expect(second.status == "503" && second.seconds < 1 && second.text.contains("store-failed"), "\(second)")
        try database.pause(false)
        #expect(try server.waitUntilReady(folder))
        for index in 0..<2 {
            #expect(try post(index, to: server).status == "200")
        }
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("With PostgreSQL stopped, it is not ready within a few seconds, though nobody posts")
    func stoppedDatabaseWithoutTraffic() throws {
        let database = try PostgreSQLServer()
        let server = try SkanServer(in: folder, store: database.makeDatabase())
        #expect(try server.waitUntilReady(folder))
        try database.pause(true)
        let start = ContinuousClock.now
        while try server.readiness(folder).contains(" 200 OK"), ContinuousClock.now - start < .seconds(60) {}
        #expect(ContinuousClock.now - start < .seconds(10))
        // The first post, too, is answered at once.
        let answer = try post(0, to: server)
        #expect(answer.status == "503" && answer.seconds < 1, "\(answer)")
        try database.pause(false)
        #expect(try server.waitUntilReady(folder))
        #expect(try post(0, to: server).status == "200")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A store's file that was removed is not made anew by a restart, and a new one is made with a warning")
    func removedFile() throws {
        let server = try SkanServer(in: folder)
        #expect(server.startLog.contains(" warning there was no store, so a new one was made"))
        #expect(server.startLog.contains(" store=\(folder.path("skan.sqlite"))\n"))
        #expect(try post(0, to: server).status == "200")
        try FileManager.default.removeItem(atPath: folder.path("skan.sqlite"))
        #expect(try server.waitForLog("everything was copied to "))
        #expect(server.end(SIGTERM).status == 2)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path("skan.sqlite" + suffix))
        }
        let refused = try SkanProcess.run(
            ["serve", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--store", "skan.sqlite"], in: folder.url)
        #expect(refused.status == 2 && refused.errors.contains("a new one would count again what is in it"))
        #expect(refused.errors.contains("skan: hint: move "))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        let copy = try #require(names.first { $0.contains(".rescued-") })
        try FileManager.default.moveItem(atPath: folder.path(copy), toPath: folder.path("skan.sqlite"))
        let restarted = try SkanServer(in: folder, arguments: SkanServer.testKeys + ["--no-create"])
        #expect(!restarted.startLog.contains("there was no store"))
        #expect(try post(0, to: restarted).text.contains("\"duplicate\""))
        #expect(restarted.end(SIGTERM).status == 0)
        let other = try SkanProcess.run(
            ["serve", "--check", "--console", "127.0.0.1:0", "--listen", "127.0.0.1:0"]
                + ["--store", "other.sqlite", "--no-create"], in: folder.url)
        #expect(other.status == 2 && other.errors.contains("and --no-create was given"), "\(other)")
    }
}

extension SkanServer {
    /// The answer of `/readyz`, with its head.
    func readiness(_ folder: WorkFolder) throws -> String {
        try SkanProcess.run(SkanProcess.curl, ["-s", "-i", "--max-time", "60", "\(console)/readyz"], in: folder.url)
            .output
    }

    /// Asks until the server is ready, for a minute at most.
    func waitUntilReady(_ folder: WorkFolder) throws -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try readiness(folder).contains(" 200 OK") {
                return true
            }
        }
        return false
    }
}
