import Attribution
import Foundation
import TestSupport
import Testing

@Suite("The server, as a process", .timeLimit(.minutes(10)))
struct ServerTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        // Makes the test keys the server is told to trust.
        _ = try skan(["simulate", "--count", "1", "--output", "keys", "--keys", "keys"])
    }

    private func curl(_ arguments: String...) throws -> String {
        try run(SkanProcess.curl, ["-s", "-i", "--max-time", "60"] + arguments).output
    }

    private func post(_ body: String, to url: String) throws -> String {
        try write(body, to: "body")
        return try curl("-H", "Content-Type: application/json", "--data-binary", "@body", url)
    }

    private func recount() throws -> SkanProcess.Outcome {
        try skan(["recount", "--store", "skan.sqlite"] + SkanServer.testKeys)
    }

    @Test("Every answer of the ingress, with curl")
    func answers() throws {
        let server = try SkanServer(in: folder)
        let good = try CommandTests.body("skan-3.0-win")
        let rows: [(String, String, String)] = [
            (good, "200 OK", "{\"status\":\"recorded\",\"reason\":null,\"provenance\":\"apple\"}"),
            (good, "200 OK", "{\"status\":\"duplicate\",\"reason\":null,\"provenance\":\"apple\"}"),
            (
                good.replacingOccurrences(of: "\"conversion-value\":20", with: "\"conversion-value\":63"), "200 OK",
                "{\"status\":\"conflict\",\"reason\":null,\"provenance\":\"apple\",\"kept\":true}"
            ),
            (
                good.replacingOccurrences(of: "true", with: "false"), "200 OK",
                "{\"status\":\"quarantined\",\"reason\":\"invalid-signature\","
            ),
            (
                good.replacingOccurrences(of: "\"3.0\"", with: "\"5.0\""), "200 OK",
                "{\"status\":\"quarantined\",\"reason\":\"unknown-version\","
            ),
            (
                good.replacingOccurrences(of: ":42", with: ":\"42\""), "200 OK",
                "{\"status\":\"quarantined\",\"reason\":\"malformed\",\"detail\":\"campaign-id: found the string"
            ),
            ("postback=1", "400 Bad Request", "{\"status\":\"refused\",\"reason\":\"not-json\","),
            ("[]", "400 Bad Request", "{\"status\":\"refused\",\"reason\":\"not-json\","),
            ("", "400 Bad Request", "{\"status\":\"refused\",\"reason\":\"not-json\","),
            (String(repeating: " ", count: 20_000), "413 ", "{\"status\":\"refused\",\"reason\":\"body-too-large\","),
        ]
        for (body, status, verdict) in rows {
            let answer = try post(body, to: server.url)
            #expect(answer.contains("HTTP/1.1 \(status)"), "\(answer)")
            #expect(answer.contains(verdict), "\(answer)")
        }
        #expect(try curl(server.url).contains("HTTP/1.1 405 Method Not Allowed"))
        #expect(try curl("http://127.0.0.1:\(server.port)/admin").contains("HTTP/1.1 404 Not Found"))
        let copy = try post(good, to: "http://127.0.0.1:\(server.port)/.well-known/skadnetwork/report-attribution/")
        #expect(copy.contains("\"duplicate\""))

        #expect(try curl("\(server.console)/healthz").contains("200 OK"))
        #expect(try curl("\(server.console)/readyz").contains("200 OK"))
        #expect(try curl("\(server.console)/v1/report?by=colour").contains("400 Bad Request"))
        let misspelt = try curl("\(server.console)/v1/report?form=2026-11-01")
        #expect(misspelt.contains("400 Bad Request"))
        #expect(misspelt.contains("form: found an unknown parameter, expected by, where, period, from, to, "))
        let twice = try curl("\(server.console)/v1/report?where=app=1&where=app=2&by=app&by=network")
        #expect(twice.contains("by: found more than one value, expected one"))
        let report = try curl("\(server.console)/v1/report?by=app&format=csv")
        #expect(report.contains("525463029,1,1,1,1,0,1.0000,1,0,1,0.0000,0,0.0000,0,1,20.00"))

        let end = server.end(SIGTERM)
        #expect(end.status == 0)
        #expect(end.log.hasSuffix(" notice stopped\n"))
        let text = try skan("report", "--store", "skan.sqlite").output.replacing("\n  ", with: " ")
        #expect(
            text.contains(
                "Deliveries: received 7, recorded 1, duplicate 2, conflict 1, quarantined 3 "
                    + "(malformed 1, unknown-version 1, unknown-key 0, not-understood 0, invalid-signature 1)"),
            "\(text)")
        let csv = try skan("report", "--store", "skan.sqlite", "--format", "csv")
        #expect(csv.output.split(separator: "\r\n").count == 2)
        #expect(csv.errors.hasPrefix("As of ") && csv.errors.contains("\nDeliveries: received 7, recorded 1, "))
        #expect(try recount().status == 0)
    }

    @Test("64 senders of one postback at once: one recorded, 63 duplicates")
    func concurrentSenders() throws {
        let server = try SkanServer(in: folder)
        try write(CommandTests.body("skan-4.0-web-fine"), to: "body")
        let urls = (0..<64).flatMap { ["-o", "answer-\($0)", server.url] }
        _ = try run(
            SkanProcess.curl,
            ["-s", "--parallel", "--parallel-immediate", "--parallel-max", "64", "--max-time", "60"]
                + ["-H", "Content-Type: application/json", "--data-binary", "@body"] + urls)
        let answers = try (0..<64).map {
            try String(contentsOf: folder.url.appendingPathComponent("answer-\($0)"), encoding: .utf8)
        }
        #expect(answers.count == 64)
        #expect(answers.filter { $0.contains("\"recorded\"") }.count == 1)
        #expect(answers.filter { $0.contains("\"duplicate\"") }.count == 63)
    }

    @Test("A day of traffic agrees with the report in every figure", arguments: ["--report-url", "--report-store"])
    func day(_ option: String) throws {
        let server = try SkanServer(in: folder)
        for seed in ["1", "2"] {
            let outcome = try skan(
                "simulate", "--count", "1500", "--seed", seed, "--keys", "keys", "--post", server.url,
                "--concurrency", "64", option, option == "--report-url" ? server.console : "skan.sqlite")
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("the report agrees with what was sent in every figure"))
        }
        // The same traffic once more is all repeats, and the plan says otherwise: that is noticed.
        let again = try skan(
            "simulate", "--count", "1500", "--seed", "1", "--keys", "keys", "--post", server.url, option,
            option == "--report-url" ? server.console : "skan.sqlite")
        #expect(again.status == 1)
        #expect(again.output.contains("difference: "))
        #expect(server.end(SIGTERM).status == 0)
        #expect(try recount().output.hasSuffix("differences: 0\n"))
    }

    @Test("SIGTERM under load finishes what was accepted, within its bound")
    func stopping() throws {
        let server = try SkanServer(in: folder)
        let (answered, _) = try loadUntil(answers: 300, seed: 5, server) {
            let start = ContinuousClock.now
            #expect(server.end(SIGTERM).status == 0)
            #expect(ContinuousClock.now - start < .seconds(9))
        }
        try expectOnce(answered)
        #expect(try recount().status == 0)
    }

    @Test("kill -9 at 20 random moments: what was answered 200 is there, exactly once")
    func kill() throws {
        var generator = SystemRandomNumberGenerator()
        var answered: Set<Substring> = []
        for round in 0..<20 {
            let server = try SkanServer(in: folder)
            let moment = Int.random(in: 1...900, using: &generator)
            let (lines, _) = try loadUntil(answers: moment, seed: 100 + round, server) {
                _ = server.end(SIGKILL)
            }
            #expect(lines.count >= moment)
            answered.formUnion(lines)
            try expectOnce(answered)
        }
        let recount = try recount()
        #expect(recount.status == 0, "\(recount.output)")
        #expect(recount.output.hasSuffix("differences: 0\n"))
    }

    /// Sends traffic, calls `act` as soon as so many answers have come, and waits for the sender's end.
    ///
    /// - Returns: Transaction id and sequence index of each verified postback answered 200, and the sender's status.
    private func loadUntil(
        answers count: Int,
        seed: Int,
        _ server: SkanServer,
        act: () throws -> Void
    ) throws -> ([Substring], Int32) {
        let sender = ChildProcess()
        sender.executableURL = SkanProcess.binary
        sender.arguments = [
            "simulate", "--count", "1000", "--seed", "\(seed)", "--keys", "keys", "--concurrency", "64", "--post",
            server.url, "--answers", "answers.pipe",
        ]
        sender.currentDirectoryURL = folder.url
        let pipe = folder.path("answers.pipe")
        if !FileManager.default.fileExists(atPath: pipe) {
            #expect(mkfifo(pipe, 0o600) == 0)
        }
        try sender.run()
        let reader = try #require(FileHandle(forReadingAtPath: pipe))
        var text = ""
        var hasActed = false
        while true {
            let more = reader.availableData
            if more.isEmpty {
                break
            }
            text += String(decoding: more, as: UTF8.self)
            if !hasActed, text.utf8.filter({ $0 == UInt8(ascii: "\n") }).count >= count {
                hasActed = true
                try act()
            }
        }
        sender.waitUntilExit()
        #expect(hasActed)
        let lines = text.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
        return (lines, sender.terminationStatus)
    }

    /// Looks into the store, with another program, for each postback that was answered 200.
    private func expectOnce(_ answered: some Sequence<Substring>) throws {
        let bodies = try run(
            SkanProcess.sqlite, ["skan.sqlite", "SELECT body FROM postback JOIN postback_body USING (id)"]
        ).output.split(separator: "\n", omittingEmptySubsequences: true)
        let rows = try bodies.map { body in
            let key = try ReceivedPostback(reading: Array(body.utf8)).key
            return Substring("\(key.transactionID.text) \(key.sequenceIndex.map { String($0) } ?? "")")
        }
        let stored = Set(rows)
        #expect(stored.count == rows.count)
        #expect(Set(answered).subtracting(stored) == [])
    }

    @Test("Settings come from the environment when no flag gives them; a port in use is an error")
    func settings() throws {
        let server = try SkanServer(in: folder)
        let command =
            "SKAN_STORE=other.sqlite SKAN_LISTEN=127.0.0.1:\(server.port) SKAN_CONSOLE=127.0.0.1:0 "
            + "\(SkanProcess.binary.path) serve"
        let outcome = try run(URL(fileURLWithPath: "/bin/sh"), ["-c", command])
        #expect(outcome.status == 2)
        #expect(
            outcome.errors == """
                skan: error: cannot listen on 127.0.0.1:\(server.port): the port is in use
                skan: hint: choose a free port and an address of this machine

                """)
        #expect(!FileManager.default.fileExists(atPath: folder.path("other.sqlite")))
    }

    @Test("TLS, with a certificate read again on SIGHUP")
    func tls() throws {
        try folder.makeCertificate("first.example")
        let server = try SkanServer(
            in: folder, arguments: ["--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem"])
        let url = server.url.replacingOccurrences(of: "http://", with: "https://")
        try write(CommandTests.body("skan-3.0-win"), to: "body")
        func post() throws -> SkanProcess.Outcome {
            try run(
                SkanProcess.curl,
                ["-sS", "-k", "-v", "--max-time", "60", "-H", "Content-Type: application/json"]
                    + ["--data-binary", "@body", url])
        }
        func expiry() throws -> Double {
            let name = "\nskan_tls_certificate_expiry_timestamp_seconds "
            let metrics = try curl(server.console + "/metrics")
            let start = try #require(metrics.range(of: name)?.upperBound)
            return try #require(Double(metrics[start...].prefix { $0 != "\n" }))
        }
        let first = try post()
        let firstExpiry = try expiry()
        #expect(first.output.contains("\"recorded\""))
        #expect(first.errors.contains("CN=first.example"))
        try folder.makeCertificate("second.example", end: Date(timeIntervalSinceNow: 2 * 86_400))
        Foundation.kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("certificate read again"))
        let second = try post()
        #expect(second.output.contains("\"duplicate\""))
        #expect(second.errors.contains("CN=second.example"))
        #expect(try expiry() >= firstExpiry + 86_400)
        #expect(server.end(SIGTERM).status == 0)
    }

    /// The lines of a log, each of which has to be an object.
    private func objects(_ log: String) throws -> [[String: String]] {
        try log.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
        }
    }

    @Test("With --log-format json every line is an object, from the start to the stop")
    func jsonLog() throws {
        let process = ChildProcess()
        let log = Pipe()
        process.executableURL = SkanProcess.binary
        process.arguments = [
            "serve", "--store", "s.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--network",
            "example123.skadnetwork", "--log-format", "json",
        ]
        process.currentDirectoryURL = folder.url
        process.standardError = log
        try process.run()
        var text = ""
        let starts = ["listening for postbacks", "listening for the console", "listening for commands"]
        while !starts.allSatisfy({ text.contains("\"\($0)\"") }) {
            let more = log.fileHandleForReading.availableData
            try #require(!more.isEmpty, "\(text)")
            text += String(decoding: more, as: UTF8.self)
        }
        process.send(SIGTERM)
        text += String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let objects = try objects(text)
        #expect(objects.first?["message"] == "starting" && objects.first?["level"] == "notice")
        #expect(objects.first?["networks"] == "example123.skadnetwork" && objects.first?["version"] == "0.1.0")
        #expect(objects.first { $0["message"] == starts[0] }?["scheme"] == "http")
        #expect(objects.last?["message"] == "stopped")
    }

    @Test(
        "With --log-format json a start that fails is one object with code and hint",
        arguments: [
            (["--store", "s.sqlite", "--listen", "192.0.2.1:0"], "cannot-listen"),
            (["--store", "nowhere/s.sqlite", "--listen", "127.0.0.1:0"], "no-store"),
            (["--listen", "127.0.0.1:0"], "bad-usage"),
            (["--store", "s.sqlite", "--listen", "127.0.0.1:0", "--tokens", "none.json"], "unreadable-file"),
        ])
    func jsonFailure(_ arguments: [String], _ code: String) throws {
        let outcome = try skan(["serve", "--console", "127.0.0.1:0", "--log-format", "json"] + arguments)
        #expect(outcome.status == 2)
        let objects = try objects(outcome.errors)
        #expect(objects.count == 1, "\(outcome.errors)")
        #expect(objects.last?["level"] == "critical" && objects.last?["code"] == code, "\(outcome.errors)")
        #expect(objects.last?["hint"] != nil && objects.last?["message"] != nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.sqlite")))
    }

    @Test("Logs hold no body and no id of a postback")
    func logs() throws {
        let server = try SkanServer(in: folder, arguments: ["--log-level", "debug"])
        _ = try post(CommandTests.body("skan-3.0-win"), to: server.url + "?secret=1")
        let log = server.end(SIGTERM).log
        #expect(log.contains("status=200"))
        #expect(log.contains("route=/skadnetwork/postbacks"))
        for secret in ["6aafb7a5", "secret=1", "attribution-signature", "example123"] {
            #expect(!log.contains(secret))
        }
    }
}
