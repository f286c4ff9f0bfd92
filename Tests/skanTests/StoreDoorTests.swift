import Foundation
import StrictJSON
import Testing

@Suite("Changes to a store, beside its owner and without one", .timeLimit(.minutes(10)))
struct StoreDoorTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        // Makes the test keys, and postbacks that a server without them cannot verify.
        _ = try skan(["simulate", "--count", "40", "--output", "sim", "--keys", "keys"])
    }

    private static let done = "skan: done by the process that has the store open\n"

    private func curl(_ arguments: String...) throws -> String {
        try run(SkanProcess.curl, ["-s", "--max-time", "60"] + arguments).output
    }

    /// Posts one body and returns the answer.
    private func post(_ body: String, to server: SkanServer) throws -> String {
        try write(body, to: "body")
        return try curl("-H", "Content-Type: application/json", "--data-binary", "@body", server.url)
    }

    /// The simulated bodies, one a line.
    private func simulated() throws -> [String] {
        try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").map { String($0) }
    }

    /// A server without keys, whose quarantine has the simulated postbacks.
    private func serverWithQuarantine() throws -> SkanServer {
        let server = try SkanServer(in: folder, arguments: [])
        for body in try simulated().prefix(5) {
            #expect(try post(body, to: server).contains("quarantined"))
        }
        return server
    }

    private func deliveries() throws -> [String: Any] {
        let report = try skan("report", "--store", "skan.sqlite", "--by", "", "--format", "json")
        let object = try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any]
        return try #require(object?["deliveries"] as? [String: Any])
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.path(name))
    }

    // MARK: The socket

    @Test("The socket is its user's alone, found by every spelling of the store, and gone after the stop")
    func socket() throws {
        let server = try serverWithQuarantine()
        #expect(try mode("skan.sqlite-socket") == 0o600)
        #expect(!exists("skan.sqlite-socket.new"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.sqlite"), withDestinationPath: "skan.sqlite")
        for store in ["skan.sqlite", "./skan.sqlite", folder.path("skan.sqlite"), "link.sqlite"] {
            let outcome = try skan("quarantine", "requeue", "--store", store)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output == "5 verified again: recorded 0, duplicate 0, conflict 0, still in quarantine 5\n")
            #expect(outcome.errors == Self.done)
        }
        #expect(server.end(SIGTERM).status == 0)
        #expect(!exists("skan.sqlite-socket"))
        let alone = try skan("quarantine", "requeue", "--store", "link.sqlite")
        #expect(alone.output == "5 verified again: recorded 0, duplicate 0, conflict 0, still in quarantine 5\n")
        #expect(alone.errors == "")
    }

    @Test("A socket left behind by kill -9 keeps no command and no server from working")
    func staleSocket() throws {
        let first = try serverWithQuarantine()
        _ = first.end(SIGKILL)
        #expect(exists("skan.sqlite-socket"))
        #expect(try skan("quarantine", "requeue", "--store", "skan.sqlite").status == 0)
        let second = try SkanServer(in: folder, arguments: [])
        let outcome = try skan("quarantine", "requeue", "--store", "skan.sqlite")
        #expect(outcome.status == 0 && outcome.errors == Self.done, "\(outcome)")
        #expect(second.end(SIGTERM).status == 0)
        #expect(!exists("skan.sqlite-socket"))
    }

    @Test("Without the socket, or with one that nothing listens on, a command says so and changes nothing")
    func unreachable() throws {
        let killed = try SkanServer(in: folder, arguments: [])
        _ = killed.end(SIGKILL)
        try FileManager.default.moveItem(atPath: folder.path("skan.sqlite-socket"), toPath: folder.path("dead"))
        let server = try serverWithQuarantine()
        try FileManager.default.removeItem(atPath: folder.path("skan.sqlite-socket"))
        let missing = try skan("quarantine", "prune", "--store", "skan.sqlite", "--class", "forged")
        #expect(missing.status == 2)
        #expect(missing.errors.contains("there is no \(folder.path("skan.sqlite"))-socket to reach it"), "\(missing)")
        #expect(missing.errors.contains("skan: hint: "))
        try FileManager.default.moveItem(atPath: folder.path("dead"), toPath: folder.path("skan.sqlite-socket"))
        let dead = try skan("recount", "--repair", "--store", "skan.sqlite")
        #expect(dead.status == 2)
        #expect(dead.errors.contains("does not answer at \(folder.path("skan.sqlite"))-socket"), "\(dead)")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A path longer than a socket's address may be works as well")
    func longPath() throws {
        let deep = (0..<8).map { "a-folder-with-a-long-name-\($0)" }.joined(separator: "/")
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent(deep), withIntermediateDirectories: true)
        let store = "\(deep)/skan.sqlite"
        let server = try SkanServer(in: folder, arguments: ["--store", store])
        #expect(try mode("\(store)-socket") == 0o600)
        let outcome = try skan("quarantine", "requeue", "--store", store)
        #expect(outcome.status == 0 && outcome.errors == Self.done, "\(outcome)")
        #expect(server.end(SIGTERM).status == 0)
        #expect(!exists("\(store)-socket"))
    }

    @Test("The socket asks for no token, though the console does")
    func tokens() throws {
        let token = try skan("tokens", "create", "--name", "reader", "--scope", "report", "--file", "tokens.json")
            .output
        let server = try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"])
        let refused = try curl(
            "-H", "Authorization: Bearer \(token.dropLast())", "-H", "Content-Type: application/json", "-d", "{}",
            "\(server.console)/v1/quarantine/requeue")
        #expect(refused.contains("\"out-of-scope\""), "\(refused)")
        let outcome = try skan("quarantine", "requeue", "--store", "skan.sqlite")
        #expect(outcome.status == 0 && outcome.errors == Self.done, "\(outcome)")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A file of another kind at the socket's path is left alone, and keeps a server from starting")
    func occupied() throws {
        try write("mine", to: "skan.sqlite-socket")
        let outcome = try skan(
            "serve", "--store", "skan.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("skan: error: "), "\(outcome)")
        #expect(
            outcome.errors.hasSuffix("/skan.sqlite-socket exists and is not a socket\nskan: hint: move it away\n"),
            "\(outcome)")
        #expect(!exists("skan.sqlite"))
        #expect(try String(contentsOfFile: folder.path("skan.sqlite-socket"), encoding: .utf8) == "mine")
    }

    // MARK: The quarantine

    @Test("Judged again with the key, what was quarantined is counted, and no delivery is counted twice")
    func requeue() throws {
        let server = try SkanServer(in: folder, arguments: [])
        // What is no JSON object is refused and counted nowhere.
        let taken = try simulated().filter { try post($0, to: server).contains("quarantined") }
        let before = try deliveries()
        #expect(server.end(SIGTERM).status == 0)
        let trusting = try SkanServer(in: folder)
        let outcome = try skan("quarantine", "requeue", "--store", "skan.sqlite")
        #expect(outcome.status == 0 && outcome.errors == Self.done, "\(outcome)")
        let after = try deliveries()
        #expect(after["received"] as? Int == taken.count)
        #expect(before["received"] as? Int == taken.count)
        let test = try skan("report", "--store", "skan.sqlite", "--test", "--by", "", "--format", "json").output
        let object = try JSONSerialization.jsonObject(with: Data(test.utf8)) as? [String: Any]
        let counted = (object?["totals"] as? [String: Any])?["postbacks"] as? Int
        let recorded = outcome.output.firstMatch(of: /recorded ([0-9]+),/).flatMap { Int($0.1) }
        #expect(counted == recorded && (recorded ?? 0) > 20, "\(outcome.output)")
        #expect(trusting.end(SIGTERM).status == 0)
        let recount = try skan(["recount", "-s", "skan.sqlite"] + SkanServer.testKeys)
        #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount.output)")
    }

    @Test("A command that owns the store itself judges with the keys it is given")
    func requeueAlone() throws {
        let server = try serverWithQuarantine()
        #expect(server.end(SIGTERM).status == 0)
        let outcome = try skan(["quarantine", "requeue", "-s", "skan.sqlite", "--limit", "2"] + SkanServer.testKeys)
        #expect(outcome.output.hasPrefix("2 verified again: "), "\(outcome)")
        #expect(!outcome.output.contains("recorded 0, duplicate 0"))
    }

    @Test("What a recount found fits where COLUMNS says how wide lines may be, and is a whole line elsewhere")
    func width() throws {
        let server = try serverWithQuarantine()
        #expect(server.end(SIGTERM).status == 0)
        let longest = try ["A=b", "COLUMNS=40"].map { setting in
            let outcome = try run(
                URL(fileURLWithPath: "/usr/bin/env"),
                ["-u", "COLUMNS", setting, SkanProcess.binary.path, "recount", "-s", "skan.sqlite"])
            #expect(outcome.status == 0 && outcome.output.contains("differences: 0"), "\(outcome)")
            return outcome.output.split(separator: "\n").map(\.count).max() ?? 0
        }
        #expect(longest[0] > 40 && longest[1] <= 40, "\(longest)")
    }

    @Test("Pruning deletes what its filters choose, and refuses to go without any", arguments: [true, false])
    func prune(_ isRunning: Bool) throws {
        let server = try serverWithQuarantine()
        #expect(try post(#"{"version":"3.0"}"#, to: server).contains("malformed"))
        if !isRunning {
            #expect(server.end(SIGTERM).status == 0)
        }
        let everything = try skan("quarantine", "prune", "--store", "skan.sqlite")
        #expect(everything.status == 2 && everything.errors.contains("everything would be deleted"))
        #expect(try skan("quarantine", "prune", "-s", "skan.sqlite", "--before", "2020-01-01").output == "deleted 0\n")
        #expect(try skan("quarantine", "prune", "-s", "skan.sqlite", "--older-than", "1d").output == "deleted 0\n")
        let garbage = try skan("quarantine", "prune", "--store", "skan.sqlite", "--reason", "malformed")
        #expect(garbage.output == "deleted 1\n" && garbage.status == 0, "\(garbage)")
        #expect(garbage.errors == (isRunning ? Self.done : ""))
        let list = try skan("quarantine", "list", "--store", "skan.sqlite", "--format", "ndjson").output
        #expect(list.split(separator: "\n").count == 5)
        // What was counted of it stays.
        #expect(try deliveries()["received"] as? Int == 6)
    }

    @Test("What is exported is byte for byte what was received")
    func export() throws {
        let server = try serverWithQuarantine()
        let odd = "{\"version\":\n\"3.0\"}"
        _ = try post(odd, to: server)
        let outcome = try skan("quarantine", "export", "--store", "skan.sqlite")
        #expect(outcome.status == 0)
        let wrapped = #"{"body":"{\"version\":\n\"3.0\"}","body-encoding":"utf-8"}"#
        #expect(outcome.output == (try simulated().prefix(5) + [wrapped]).map { $0 + "\n" }.joined())
        #expect(outcome.errors.contains("1 bodies have newlines"))
        let genuine = try skan("quarantine", "export", "--store", "skan.sqlite", "--limit", "5")
        try write(genuine.output, to: "export.ndjson")
        let verified = try skan(["verify", "export.ndjson"] + SkanServer.testKeys)
        #expect(verified.output.contains("valid version"))
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("The list fits a terminal and ends in totals; one delivery is shown with its body")
    func list() throws {
        let server = try serverWithQuarantine()
        let list = try skan("quarantine", "list", "--store", "skan.sqlite", "--limit", "2")
        let lines = list.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.first?.hasPrefix("id  received (UTC)") == true)
        #expect(lines.dropFirst().first?.hasPrefix(" 5  20") == true, "\(list.output)")
        #expect(lines.dropLast().last?.hasPrefix("In quarantine: ") == true)
        #expect(list.errors.contains("the newest 2 of 5"))
        let shown = try skan("quarantine", "show", "--store", "skan.sqlite", "1")
        #expect(shown.output.hasSuffix("\n\n\(try simulated()[0])\n"), "\(shown.output)")
        #expect(shown.output.contains("\nreason       "))
        let json = try skan("quarantine", "show", "-s", "skan.sqlite", "1", "--format", "json").output
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["body"] as? String == (try simulated()[0]))
        let missing = try skan("quarantine", "show", "--store", "skan.sqlite", "99")
        #expect(missing.status == 2 && missing.errors.contains("no delivery 99"))
        let environment = try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["SKAN_STORE=skan.sqlite", SkanProcess.binary.path, "quarantine", "show", "1"])
        #expect(environment.output == shown.output)
        #expect(server.end(SIGTERM).status == 0)
    }

    // MARK: Recorded postbacks

    @Test("A recorded postback is found by its id and by its day, with its bytes, on the command line and the console")
    func postbacks() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let body = try CommandTests.body("skan-3.0-win")
        #expect(try post(body, to: server).contains("recorded"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
        let id = try #require(object["transaction-id"] as? String)
        let found = try skan("postbacks", "--store", "skan.sqlite", "--transaction-id", id)
        #expect(found.output.hasPrefix("1  received 20") && found.output.hasSuffix("\n\(body)\n"), "\(found)")
        let day = try skan("postbacks", "--store", "skan.sqlite", "--from", "2020-01-01", "--format", "ndjson")
        #expect(day.output.contains("\"provenance\":\"apple\""))
        let none = try skan("postbacks", "--store", "skan.sqlite", "--to", "2020-01-01")
        #expect(none.output == "" && none.errors.contains("no such postback"))
        #expect(try skan("postbacks", "--store", "skan.sqlite").status == 2)
        let last = try curl("\(server.console)/v1/postbacks?after=\(Int64.max)")
        #expect(last.contains("\"postbacks\":[]"), "\(last)")
        let answer = try curl("\(server.console)/v1/postbacks?transaction-id=\(id)")
        #expect(answer.contains("\"body-encoding\":\"utf-8\"") && answer.contains("\"next\":null"), "\(answer)")
        #expect(server.end(SIGTERM).status == 0)
    }

    // MARK: Repair

    @Test(
        "What was counted wrong is repaired, by the server that has the store or without one", arguments: [true, false])
    func repair(_ isRunning: Bool) throws {
        let first = try SkanServer(in: folder, arguments: [])
        #expect(try post(try CommandTests.body("skan-3.0-win"), to: first).contains("recorded"))
        #expect(first.end(SIGTERM).status == 0)
        let damaged = try run(
            SkanProcess.sqlite, ["skan.sqlite", "UPDATE delivery SET count = 0 WHERE status = 'recorded'"])
        #expect(damaged.status == 0, "\(damaged.errors)")
        let server = isRunning ? try SkanServer(in: folder, arguments: []) : nil
        let found = try skan("recount", "--store", "skan.sqlite")
        #expect(found.status == 1 && found.output.hasSuffix("differences: 1\n"), "\(found.output)")
        let repaired = try skan("recount", "--repair", "--store", "skan.sqlite")
        #expect(repaired.status == 0, "\(repaired)")
        #expect(repaired.output.hasPrefix("repaired: "))
        #expect(repaired.output.hasSuffix("; found: 1, repaired: 1, remaining: 0\n"))
        #expect(repaired.errors == (isRunning ? Self.done : ""))
        #expect(try deliveries()["received"] as? Int == 1)
        #expect(server?.end(SIGTERM).status ?? 0 == 0)
    }

    // MARK: The console

    @Test("An operator can do the same over the console, and a misspelled name is refused")
    func console() throws {
        let server = try serverWithQuarantine()
        func post(_ path: String, _ body: String, type: String = "application/json") throws -> String {
            try curl("-H", "Content-Type: \(type)", "-d", body, server.console + path)
        }
        let page = try curl("\(server.console)/v1/quarantine?limit=2&after=1")
        #expect(page.contains("\"deliveries\":[{\"id\":2,") && page.hasSuffix("\"next\":3}\n"), "\(page)")
        for query in [
            "clas=forged", "class=forgery", "limit=0", "limit=1001", "limit=a", "before=soon", "id=1&id=2",
            "before=999999999999-01-01T00:00:00Z", "before=2026-13-01", "after=9223372036854775808",
        ] {
            #expect(try curl("\(server.console)/v1/quarantine?\(query)").contains("\"bad-field\""), "\(query)")
        }
        #expect(try post("/v1/quarantine/prune", "{}").contains("everything would be deleted"))
        #expect(try post("/v1/quarantine/prune", #"{"id":"1"}"#) == "{\"status\":\"done\",\"deleted\":1}\n")
        #expect(try post("/v1/quarantine/requeue", #"{"klass":"forged"}"#).contains("\"bad-field\""))
        #expect(try post("/v1/quarantine/requeue", "{}").contains("\"judged\":4,"))
        #expect(try post("/v1/quarantine/requeue", "[]").contains("\"not-json\""))
        #expect(try post("/v1/recount", "{}", type: "text/plain").contains("\"unsupported-media-type\""))
        #expect(try post("/v1/recount", #"{"repair":1}"#).contains("\"bad-field\""))
        #expect(try post("/v1/recount", #"{"repair":true}"#).contains("\"remaining\":0,"))
        #expect(server.end(SIGTERM).status == 0)
    }
}
