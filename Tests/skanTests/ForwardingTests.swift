import Foundation
import TestSupport
import Testing

@Suite("Forwarding, as a process", .timeLimit(.minutes(10)))
struct ForwardingTests: FolderSuite {
    let folder: WorkFolder
    let bodies: [String]

    init() throws {
        folder = try WorkFolder()
        _ = try SkanProcess.run(
            ["simulate", "--count", "60", "--output", "sim", "--keys", "keys"], in: folder.url)
        var seen: Set<String> = []
        bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").map { String($0) }.filter { seen.insert($0).inserted }
    }

    /// A kind of store.
    enum Kind: CaseIterable {
        case file, database

        func store() throws -> String {
            switch self {
            case .file: "skan.sqlite"
            case .database: try PostgreSQLServer.shared().makeDatabase()
            }
        }
    }

    /// Writes destinations that want test postbacks, each named as the path it is at.
    private func destinations(_ paths: [String], of receiver: Receiver) throws {
        let objects = paths.map { path in
            """
            {"name": "\(path)", "url": "\(receiver.url(path))", "body": "raw", "allow": ["127.0.0.0/8"], \
            "filters": {"provenance": "test"}}
            """
        }
        try write("{\"destinations\": [\(objects.joined(separator: ", "))]}", to: "destinations.json")
    }

    private func server(_ store: String) throws -> SkanServer {
        try SkanServer(
            in: folder, store: store, arguments: SkanServer.testKeys + ["--destinations", "destinations.json"])
    }

    /// Posts bodies, and returns those that were recorded.
    private func post(_ bodies: some Sequence<String>, to server: SkanServer) throws -> [String] {
        try bodies.filter { body in
            try write(body, to: "body")
            return try run(
                SkanProcess.curl,
                [
                    "-s", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary", "@body",
                    server.url,
                ]
            ).output.contains("\"recorded\"")
        }
    }

    /// What the store says of a destination.
    private func status(_ name: String, _ store: String) throws -> [String: Any] {
        let listed = try skan("destinations", "list", "--store", store, "--format", "json")
        let all = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]]
        return try #require(all?.first { $0["name"] as? String == name }, "\(listed)")
    }

    /// Reads what the store says of a destination until it is as expected, or a minute has passed.
    private func wait(
        for name: String, _ store: String, until isExpected: ([String: Any]) -> Bool
    ) throws -> [String: Any] {
        let end = ContinuousClock.now + .seconds(60)
        var found = try status(name, store)
        while !isExpected(found), ContinuousClock.now < end {
            found = try status(name, store)
        }
        return found
    }

    @Test("Everything recorded arrives as it was received, whatever other destinations do", arguments: Kind.allCases)
    func beside(_ kind: Kind) throws {
        let (receiver, store) = (try Receiver(), try kind.store())
        try destinations(["slow", "hang", "lie", "redirect", "good"], of: receiver)
        let server = try server(store)
        let recorded = try post(bodies, to: server)
        #expect(recorded.count > 20)
        let requests = try receiver.requests(recorded.count, to: "good")
        #expect(requests.map(\.body).sorted() == recorded.sorted())
        #expect(requests.allSatisfy { !$0.id.isEmpty } && Set(requests.map(\.id)).count == recorded.count)
        let good = try wait(for: "good", store) { $0["behind"] as? Int == 0 }
        #expect(good["behind"] as? Int == 0 && good["state"] as? String == "running" && good["again"] as? Int == 0)
        let redirected = try wait(for: "redirect", store) { $0["state"] as? String == "down" }
        #expect(redirected["parked"] as? Int ?? 0 >= 10, "\(redirected)")
        #expect((redirected["last-failure"] as? String ?? "").hasPrefix("answered 302"))
        let metrics = try run(SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/metrics"]).output
        #expect(metrics.contains("skan_destination_attempts_total{destination=\"good\",outcome=\"delivered\"} "))
        let page = try run(SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/destinations"]).output
        #expect(page.contains("answered 302") && page.contains(">redirect<"))
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("After kill -9 nothing is missing, and what comes again has the same webhook-id", arguments: Kind.allCases)
    func killed(_ kind: Kind) throws {
        let (receiver, store) = (try Receiver(), try kind.store())
        try destinations(["slow"], of: receiver)
        var requests: [Receiver.Request] = []
        var recorded: [String] = []
        for part in [bodies.prefix(30), bodies.dropFirst(30)] {
            let server = try server(store)
            recorded += try post(part, to: server)
            requests += try receiver.requests(10, to: "slow")
            _ = server.end(SIGKILL)
        }
        let server = try server(store)
        var missing = Set(recorded).subtracting(requests.map(\.body))
        while !missing.isEmpty, let request = try receiver.next() {
            requests.append(request)
            missing.remove(request.body)
        }
        #expect(missing.isEmpty)
        let ids = Dictionary(grouping: requests, by: \.body).mapValues { Set($0.map(\.id)) }
        #expect(ids.values.allSatisfy { $0.count == 1 } && Set(ids.values).count == ids.count)
        #expect(Set(ids.keys) == Set(recorded))
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A paused destination gets nothing until it is resumed; what is refused is parked, and 410 stops it")
    func states() throws {
        let receiver = try Receiver(status: folder.path("status"))
        try write("400", to: "status")
        try destinations(["refuse"], of: receiver)
        let server = try server("skan.sqlite")
        let first = try post(bodies.prefix(2), to: server)
        #expect(try receiver.requests(first.count, to: "refuse").count == first.count)
        let refused = try wait(for: "refuse", "skan.sqlite") { $0["parked"] as? Int == first.count }
        #expect(refused["parked"] as? Int == first.count, "\(refused)")
        let shown = try skan("destinations", "show", "refuse", "--store", "skan.sqlite")
        #expect(shown.status == 0 && shown.output.contains("  parked  answered 400\nwords\n"), "\(shown)")
        let paused = try skan("destinations", "pause", "refuse", "--store", "skan.sqlite")
        #expect(paused.status == 0 && paused.output == "paused refuse\n", "\(paused)")
        #expect(paused.errors == "skan: done by the process that has the store open\n")
        try write("200", to: "status")
        let second = try post(bodies.dropFirst(2).prefix(2), to: server)
        let waiting = try status("refuse", "skan.sqlite")
        #expect(waiting["state"] as? String == "paused" && waiting["behind"] as? Int == second.count, "\(waiting)")
        #expect(try skan("destinations", "resume", "refuse", "--store", "skan.sqlite").status == 0)
        let resumed = try receiver.requests(first.count + second.count, to: "refuse")
        #expect(Set(resumed.map(\.body)) == Set(first + second))
        let done = try wait(for: "refuse", "skan.sqlite") { $0["parked"] as? Int == 0 && $0["behind"] as? Int == 0 }
        #expect(done["again"] as? Int == 0 && done["state"] as? String == "running", "\(done)")
        try write("410", to: "status")
        #expect(try post(bodies.dropFirst(4).prefix(1), to: server).count == 1)
        let gone = try wait(for: "refuse", "skan.sqlite") { $0["state"] as? String == "gone" }
        #expect(gone["state"] as? String == "gone" && gone["behind"] as? Int == 1, "\(gone)")
        let unknown = try skan("destinations", "pause", "partner", "--store", "skan.sqlite")
        #expect(unknown.status == 2 && unknown.errors.contains("no destination partner"), "\(unknown)")
        #expect(server.end(SIGTERM).status == 0)
        // Without a server, the command does it itself.
        try write("200", to: "status")
        let alone = try skan("destinations", "resume", "refuse", "--store", "skan.sqlite")
        #expect(alone.status == 0 && alone.errors.isEmpty, "\(alone)")
        let again = try self.server("skan.sqlite")
        #expect(try receiver.requests(1, to: "refuse").count >= 1)
        #expect(again.end(SIGTERM).status == 0)
    }

    @Test("A destination gets history, a day or one postback by replay alone, and the live feed stays where it is")
    func replay() throws {
        let receiver = try Receiver()
        try destinations(["good", "late"], of: receiver)
        let recorded: [String]
        do {
            let server = try SkanServer(in: folder)
            recorded = try post(bodies.prefix(20), to: server)
            #expect(server.end(SIGTERM).status == 0)
        }
        let server = try server("skan.sqlite")
        let live = try post(bodies.dropFirst(20).prefix(5), to: server)
        let first = try receiver.requests(live.count, to: "good")
        #expect(Set(first.map(\.body)) == Set(live))
        let before = try wait(for: "late", "skan.sqlite") { $0["behind"] as? Int == 0 }
        func replay(_ arguments: String...) throws -> SkanProcess.Outcome {
            try skan(
                ["replay", "--store", "skan.sqlite", "--destinations", "destinations.json", "--destination", "late"]
                    + SkanServer.testKeys + arguments)
        }
        // All that was recorded.
        let all = try replay()
        let count = recorded.count + live.count
        #expect(all.status == 0 && all.output.hasPrefix("delivered \(count), failed 0,"), "\(all)")
        let sent = try receiver.requests(recorded.count + live.count, to: "late")
        #expect(Set(sent.map(\.body)) == Set(recorded + live))
        // A day, and one.
        #expect(try replay("--to", "2020-01-01").output.hasPrefix("delivered 0, failed 0,"))
        let today = try replay("--from", "today")
        #expect(today.output.hasPrefix("delivered \(recorded.count + live.count),"), "\(today)")
        let object = try JSONSerialization.jsonObject(with: Data(recorded[0].utf8)) as? [String: Any]
        if let id = object?["transaction-id"] as? String {
            let one = try replay("--transaction-id", id)
            #expect(one.status == 0 && one.output.hasPrefix("delivered "), "\(one)")
        }
        let after = try status("late", "skan.sqlite")
        #expect(after["position"] as? String == before["position"] as? String)
        let test = try skan(
            ["destinations", "test", "good", "--store", "skan.sqlite", "--destinations", "destinations.json"]
                + SkanServer.testKeys)
        #expect(test.status == 0 && test.output.hasSuffix("answered 200\nwords\n"), "\(test)")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A file is checked by itself, by serve --check and by SIGHUP, which begins new destinations at the present")
    func files() throws {
        let receiver = try Receiver()
        try destinations(["good"], of: receiver)
        #expect(try skan("destinations", "check", "destinations.json").output.hasSuffix("ok: 1 destinations\n"))
        let check = try skan(
            "serve", "--check", "--store", "skan.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0",
            "--destinations", "destinations.json")
        #expect(check.status == 0 && check.output.contains("destination: good: POST http://127.0.0.1"), "\(check)")
        let server = try server("skan.sqlite")
        let first = try post(bodies.prefix(3), to: server)
        #expect(try receiver.requests(first.count, to: "good").count == first.count)
        try write("{\"destinations\": [{\"name\": \"good\"}]}", to: "destinations.json")
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("nothing was reloaded"))
        let bad = try skan("destinations", "check", "destinations.json")
        #expect(bad.status == 2 && bad.output.isEmpty, "\(bad)")
        try destinations(["good", "slow"], of: receiver)
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("destinations read again"))
        let end = ContinuousClock.now + .seconds(60)
        while try !skan("destinations", "list", "--store", "skan.sqlite").output.contains("slow"),
            ContinuousClock.now < end
        {}
        let second = try post(bodies.dropFirst(3).prefix(3), to: server)
        #expect(Set(try receiver.requests(second.count, to: "slow").map(\.body)) == Set(second))
        #expect(server.end(SIGTERM).status == 0)
    }
}
