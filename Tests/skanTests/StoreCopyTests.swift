import Foundation
import StrictJSON
import TestSupport
import Testing

// One at a time, and on a server of its own: a transaction that one holds open keeps others' reports from what was
// recorded after it began, on the whole server.
@Suite("Moving a store, as a process", .serialized, .timeLimit(.minutes(10)))
struct StoreCopyTests: FolderSuite {
    let folder: WorkFolder
    let server: PostgreSQLServer
    let database: String

    init() throws {
        folder = try WorkFolder()
        server = try PostgreSQLServer()
        database = try server.makeDatabase()
    }

    private func start(_ program: URL, _ arguments: [String]) throws -> ChildProcess {
        let process = ChildProcess()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        try process.run()
        return process
    }

    private func sql(_ statement: String) throws -> String {
        try server.sql(statement, database: database)
    }

    /// Asks the database until it says yes.
    private func wait(until question: String) throws {
        while try sql("SELECT \(question)") != "t" {}
    }

    /// Posts to a server while a copy of its store is killed.
    private func kill(_ arguments: [String], at moment: String, whilePostingTo source: SkanServer) throws {
        let traffic = try start(
            SkanProcess.binary, ["simulate", "--count", "400", "--seed", "7", "--keys", "keys", "--post", source.url])
        let copy = try start(SkanProcess.binary, ["store", "copy"] + arguments)
        try wait(until: moment)
        Glibc.kill(copy.processIdentifier, SIGKILL)
        copy.waitUntilExit()
        traffic.waitUntilExit()
        #expect(traffic.terminationStatus == 0)
    }

    /// What both stores say, but for what names the store.
    private func expectSame(_ one: String, _ other: String) throws {
        for dimensions in ["", "day", "network,source-identifier,conversion-value", "recipient,hour"] {
            let reports = try [one, other].map {
                try skan("report", "--store", $0, "--test", "--by", dimensions, "--format", "csv")
            }
            #expect(
                reports[0].status == 0 && reports[0].output == reports[1].output && !reports[0].output.isEmpty,
                "by \(dimensions): \(reports.map(\.status)), \(reports.map { $0.output.prefix(2_000) + $0.errors.prefix(300) })"
            )
            let words = reports.map { $0.errors.split(separator: "\n").filter { !$0.hasPrefix("As of") } }
            #expect(words[0] == words[1])
        }
        for store in [one, other] {
            let recount = try skan(["recount", "--store", store] + SkanServer.testKeys)
            #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount)")
        }
    }

    @Test("A copy into a database that is killed goes on, takes over what came since, and ends the same to the digit")
    func intoDatabase() throws {
        _ = try skan("simulate", "--count", "6000", "--days", "3", "--keys", "keys", "--store", "skan.sqlite")
        let source = try SkanServer(in: folder)
        #expect(try skan("migrate", "--store", database).status == 0)
        // The second page does not end.
        _ = try sql(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;
            CREATE TRIGGER hold AFTER INSERT ON skan.postback FOR EACH ROW WHEN (NEW.id = 4097) EXECUTE FUNCTION hold()
            """)
        let sleeping = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        try kill(
            ["skan.sqlite", database], at: "EXISTS (SELECT \(sleeping))", whilePostingTo: source)
        _ = try sql("SELECT pg_terminate_backend(pid, 10000) \(sleeping)")
        _ = try sql("DROP TRIGGER hold ON skan.postback; DROP FUNCTION hold")
        #expect(try sql("SELECT count(*) FROM skan.postback") == "4096")
        let second = try skan("store", "copy", "skan.sqlite", database)
        #expect(second.status == 0 && second.errors.contains("; copy again for what came since"), "\(second)")
        _ = source.end(SIGTERM)
        let last = try skan("store", "copy", "skan.sqlite", database, "--source-stopped")
        #expect(last.status == 0 && last.output.hasPrefix("copied 0 postbacks"), "\(last)")
        #expect(last.errors.contains("copied up to ") && !last.errors.contains("copy again"))
        try expectSame("skan.sqlite", database)
        // Servers go on from there.
        let target = try SkanServer(in: folder, store: database)
        let more = try skan("simulate", "--count", "50", "--seed", "9", "--keys", "keys", "--post", target.url)
        #expect(more.status == 0, "\(more)")
    }

    @Test("A store is not copied into itself, nor into one that a server has recorded into or has open")
    func refusals() throws {
        _ = try skan("simulate", "--count", "50", "--days", "1", "--keys", "keys", "--store", "skan.sqlite")
        let itself = try skan("store", "copy", "skan.sqlite", "skan.sqlite")
        #expect(itself.status == 2 && itself.errors.contains("cannot be copied into itself"))
        _ = try skan("simulate", "--count", "50", "--days", "1", "--keys", "keys", "--store", "other.sqlite")
        let other = try skan("store", "copy", "skan.sqlite", "other.sqlite")
        #expect(other.status == 2 && other.errors.contains("before the first copy"), "\(other)")
        let server = try SkanServer(in: folder, store: "open.sqlite")
        let open = try skan("store", "copy", "skan.sqlite", "open.sqlite")
        #expect(open.status == 2 && open.errors.contains("another process has the store"), "\(open)")
        _ = server.end(SIGTERM)
        #expect(try skan("store", "copy", "none.sqlite", database).errors.contains("there is no store"))
    }

    @Test("A file whose server runs is not copied as one that is stopped, although it has no web ads")
    func notStopped() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let files = ["skan.sqlite-web-ads", "copy.sqlite"].map { folder.url.appendingPathComponent($0).path }
        let running = try skan("store", "copy", "skan.sqlite", "copy.sqlite", "--source-stopped")
        #expect(running.status == 2 && running.errors.contains("another process has the store"), "\(running)")
        #expect(files.filter { FileManager.default.fileExists(atPath: $0) } == [])
        _ = server.end(SIGTERM)
        let stopped = try skan("store", "copy", "skan.sqlite", "copy.sqlite", "--source-stopped")
        #expect(stopped.status == 0, "\(stopped)")
    }

    @Test("What a copy leaves out is named, with the way to a whole copy")
    func leftOut() throws {
        _ = try skan("simulate", "--count", "50", "--days", "1", "--keys", "keys", "--store", "skan.sqlite")
        let exchange = """
            UPDATE postback_body SET id = -id WHERE id IN (3, 4); UPDATE postback_body SET id = 7 + id WHERE id < 0
            """
        #expect(try run(SkanProcess.sqlite, ["skan.sqlite", exchange]).status == 0)
        let copy = try skan("store", "copy", "skan.sqlite", "copy.sqlite")
        #expect(copy.status == 1, "\(copy)")
        #expect(copy.errors.contains("2 postbacks were left out, the first of them 3, 4: "), "\(copy)")
        #expect(copy.errors.contains("no copy into copy.sqlite comes back to them"), "\(copy)")
        #expect(copy.errors.contains("skan recount --store skan.sqlite --repair"), "\(copy)")
    }
}

@Suite("Backups, as a process", .timeLimit(.minutes(10)))
struct BackupTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        _ = try skan(["simulate", "--count", "1", "--output", "keys", "--keys", "keys"])
    }

    @Test("A recount of a backup leaves nothing beside it, and changes nothing in it")
    func recount() throws {
        _ = try skan("simulate", "--count", "5", "--days", "1", "--keys", "keys", "--store", "skan.sqlite")
        let made = try skan("backup", "--store", "skan.sqlite", "copy.sqlite")
        #expect(made.status == 0, "\(made)")
        let before = (try files(), try Data(contentsOf: URL(fileURLWithPath: folder.path("copy.sqlite"))))
        let outcome = try skan(
            "recount", "--store", "copy.sqlite", "--trust-test-key", "keys/test-p192.public.pem", "--trust-test-key",
            "keys/test-p256.public.pem")
        #expect(outcome.status == 0 && outcome.output.contains("differences: 0"), "\(outcome)")
        #expect(try files() == before.0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("copy.sqlite"))) == before.1)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test("Copied while postbacks are recorded, each copy is whole, and a server starts with it")
    func whilePosting() throws {
        let server = try SkanServer(in: folder)
        let traffic = ChildProcess()
        traffic.executableURL = SkanProcess.binary
        traffic.arguments = ["simulate", "--count", "3000", "--keys", "keys", "--post", server.url]
        traffic.currentDirectoryURL = folder.url
        try traffic.run()
        for number in 1...3 {
            let outcome = try skan("backup", "--store", "skan.sqlite", "copy-\(number).sqlite")
            #expect(outcome.status == 0, "\(outcome)")
        }
        traffic.waitUntilExit()
        #expect(server.end(SIGTERM).status == 0)
        for number in 1...3 {
            let recount = try skan(["recount", "--store", "copy-\(number).sqlite"] + SkanServer.testKeys)
            #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount)")
        }
        let restored = try SkanServer(in: folder, arguments: SkanServer.testKeys + ["--store", "copy-3.sqlite"])
        #expect(restored.end(SIGTERM).status == 0)
    }

    @Test("A backup overwrites nothing, and leaves nothing beside its files")
    func names() throws {
        let server = try SkanServer(in: folder)
        #expect(server.end(SIGTERM).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("skan.sqlite"))
        #expect(try skan("backup", "--store", "skan.sqlite", "copy.sqlite").status == 0)
        let before = try files()
        #expect(before.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("copy.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        let bytes = try Data(contentsOf: folder.url.appendingPathComponent("copy.sqlite"))
        for name in ["copy.sqlite", "skan.sqlite"] {
            let again = try skan("backup", "--store", "skan.sqlite", name)
            #expect(again.status == 2 && again.errors.contains("\(name) already exists"), "\(again)")
        }
        #expect(try skan("backup", "--store", "skan.sqlite", "nowhere/copy.sqlite").status == 2)
        #expect(try skan("backup", "--store", "none.sqlite", "other.sqlite").errors.contains("there is no store"))
        #expect(try skan("backup", "--store", "keys/test-p256.pem", "other.sqlite").errors.contains("not a store"))
        #expect(try files() == before)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("copy.sqlite")) == bytes)
    }

    @Test("A backup is not opened beside the log of the store that it replaces")
    func foreignLog() throws {
        let server = try SkanServer(in: folder)
        let post = ["simulate", "--count", "100", "--keys", "keys", "--post", server.url]
        #expect(try skan(post).status == 0)
        #expect(try skan("backup", "--store", "skan.sqlite", "copy.sqlite").status == 0)
        #expect(try skan(post + ["--seed", "2"]).status == 0)
        _ = server.end(SIGKILL)
        try Data(contentsOf: folder.url.appendingPathComponent("copy.sqlite")).write(
            to: folder.url.appendingPathComponent("skan.sqlite"))
        let refused = "skan.sqlite is a backup, and "
        let failure = #expect(throws: SkanServer.Failed.self) { try SkanServer(in: folder) }
        #expect(failure?.log.contains(refused) == true, "\(failure as Any)")
        let report = try skan("report", "--store", "skan.sqlite")
        #expect(report.status == 2 && report.errors.contains(refused), "\(report)")
        for name in ["skan.sqlite-wal", "skan.sqlite-shm"] {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        // Once opened by an owner it is a store, with a log of its own.
        for _ in 1...2 {
            let restored = try SkanServer(in: folder)
            #expect(FileManager.default.fileExists(atPath: folder.path("skan.sqlite-wal")))
            _ = restored.end(SIGKILL)
        }
        let recount = try skan(["recount", "--store", "skan.sqlite"] + SkanServer.testKeys)
        #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount)")
    }

    @Test("Without room on the disk it says so and leaves no partial copy")
    func noRoom() throws {
        let server = try SkanServer(in: folder)
        #expect(server.end(SIGTERM).status == 0)
        let before = try files()
        // A bound on the size of files, above that of the -shm, ends writing as a full disk does.
        let outcome = try run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "trap '' XFSZ; ulimit -f 72; exec \(SkanProcess.binary.path) backup -s skan.sqlite copy.sqlite"])
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.hasPrefix("skan: error: cannot write the copy copy.sqlite: "), "\(outcome.errors)")
        #expect(try files().filter { $0.hasPrefix("copy") } == before.filter { $0.hasPrefix("copy") })
    }

    @Test(
        "A web ad that was not answered is expired in the copy, unless the nonces are kept", arguments: [false, true])
    func webAds(_ keepsNonces: Bool) throws {
        try folder.makeSigningKeys()
        let server = try SkanServer(in: folder, arguments: ["--signing-keys", "keys.json"])
        let issued = try skan(
            "web-ad", "issue", "--store", "skan.sqlite", "--network", "example123.skadnetwork", "--source-identifier",
            "3120", "--advertised-app", "525463029", "--destination", "https://network.example")
        let link = try #require(try JSONSerialization.jsonObject(with: Data(issued.output.utf8)) as? [String: Any])
        let nonce = try #require(link["attributionSourceNonce"] as? String)
        let outcome = try skan(
            ["backup", "--store", "skan.sqlite", "copy.sqlite"] + (keepsNonces ? ["--keep-nonces"] : []))
        #expect(outcome.output.contains("copied 1 web ads to copy.sqlite-web-ads"), "\(outcome)")
        #expect(outcome.output.contains("expired in the copy so that none is answered twice: 1\n") == !keepsNonces)
        #expect(try tap(nonce, on: server).contains("\"signature\""), "the original is as it was")
        #expect(server.end(SIGTERM).status == 0)
        let restored = try SkanServer(
            in: folder, arguments: ["--signing-keys", "keys.json", "--store", "copy.sqlite"])
        #expect(try tap(nonce, on: restored).contains(keepsNonces ? "\"signature\"" : "\"nonce-expired\""))
        #expect(restored.end(SIGTERM).status == 0)
    }

    private func tap(_ nonce: String, on server: SkanServer) throws -> String {
        let body =
            #"{"source_engagement_type":"click_to_App_Store","source_domain":"example.com","#
            + #""source_nonce":"\#(nonce)","version":"4.0"}"#
        try write(body, to: "body")
        let url = "http://127.0.0.1:\(server.port)/.well-known/skadnetwork/get-signed-payload"
        return try run(
            SkanProcess.curl,
            ["-s", "--max-time", "60", "-H", "Content-Type: application/json", "--data-binary", "@body", url]
        ).output
    }
}
