import Foundation
import TestSupport
import Testing

@Suite("Commands on a store in PostgreSQL", .timeLimit(.minutes(10)))
struct PostgreSQLCommandTests: FolderSuite {
    let folder: WorkFolder
    let store: String

    init() throws {
        folder = try WorkFolder()
        store = try PostgreSQLServer.shared().makeDatabase()
        _ = try skan(["simulate", "--count", "20", "--output", "sim", "--keys", "keys"])
    }

    @Test("Tables are missing, then made, then up to date; a file has none to make")
    func migrate() throws {
        let before = try skan("migrate", "--store", store, "--check")
        #expect(before.status == 1 && before.output == "tables missing, version 2\n")
        #expect(try skan("migrate", "--store", store).output == "tables made, version 2\n")
        let after = try skan("migrate", "--store", store, "--check")
        #expect(after.status == 0 && after.output == "up to date\n")
        #expect(try skan("migrate", "--store", "skan.sqlite").status == 2)
    }

    @Test("A database that holds no store is not read, and no copy of it is begun")
    func empty() throws {
        for arguments in [
            ["report", "--store", store], ["recount", "--store", store], ["store", "copy", store, "copy.sqlite"],
            ["store", "copy", store, "copy.sqlite", "--source-stopped"],
        ] {
            let outcome = try skan(arguments)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains(" holds no store\n"), "\(outcome)")
            #expect(outcome.errors.contains("skan: hint: check the name of the database; skan migrate "), "\(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy.sqlite")))
    }

    @Test("Two servers record into one database, and every command reads it and changes it")
    func serve() throws {
        let servers = try [SkanServer(in: folder, store: store), SkanServer(in: folder, store: store)]
        let bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n")
        for server in servers {
            for body in bodies.prefix(5) {
                try write(body, to: "body")
                let status = try run(
                    SkanProcess.curl,
                    [
                        "-s", "--max-time", "60", "-o", "answer", "-w", "%{http_code}", "-H",
                        "Content-Type: application/json", "--data-binary", "@body", server.url,
                    ])
                #expect(status.output == "200")
            }
        }
        let report = try skan("report", "--store", store, "--by", "", "--format", "json", "--test")
        #expect(report.status == 0 && report.output.contains(#""received""#))
        let exported = try skan("export", "--store", store, "--test").output.split(separator: "\n")
        #expect(!exported.isEmpty)
        #expect(try skan("quarantine", "list", "--store", store).status == 0)
        #expect(try skan("quarantine", "requeue", "--store", store).status == 0)
        let recount = try skan(
            "recount", "--store", store, "--trust-test-key", "keys/test-p192.public.pem", "--trust-test-key",
            "keys/test-p256.public.pem")
        #expect(recount.status == 0 && recount.output.contains("differences: 0"))
    }

    @Test("A postback whose commit no standby confirmed is answered 503, and counts once when it comes again")
    func unconfirmed() throws {
        let absent = try PostgreSQLServer(settings: [
            "synchronous_standby_names = 'absent'", "synchronous_commit = local",
        ])
        let store = try absent.makeDatabase()
        let server = try SkanServer(in: folder, store: store)
        let bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
        try write(bodies.prefix { $0 != "\n" }, to: "body")
        let posting = [
            "-s", "--max-time", "60", "-o", "answer", "-w", "%{http_code}", "-H", "Content-Type: application/json",
            "--data-binary", "@body", server.url,
        ]
        let first = ChildProcess()
        let output = Pipe()
        first.executableURL = SkanProcess.curl
        first.arguments = posting
        first.currentDirectoryURL = folder.url
        first.standardOutput = output
        try first.run()
        let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while try absent.sql(cancel, database: store) == "0" {}
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "503")
        first.waitUntilExit()
        try absent.sql("ALTER SYSTEM SET synchronous_standby_names = ''", database: store)
        try absent.sql("SELECT pg_reload_conf()", database: store)
        // Until a probe succeeds, everything is answered 503 at once.
        #expect(try server.waitUntilReady(folder))
        #expect(try run(SkanProcess.curl, posting).output == "200")
        #expect(try absent.sql("SELECT count(*) FROM skan.postback", database: store) == "1")
        _ = server.end(SIGTERM)
    }

    @Test("A server that is stopped while a commit waits for a standby answers 503 and ends within its five seconds")
    func stoppedWhileWaiting() throws {
        let absent = try PostgreSQLServer(settings: [
            "synchronous_standby_names = 'absent'", "synchronous_commit = local",
        ])
        let store = try absent.makeDatabase()
        let server = try SkanServer(in: folder, store: store)
        let bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
        try write(bodies.prefix { $0 != "\n" }, to: "body")
        let posting = ChildProcess()
        let output = Pipe()
        posting.executableURL = SkanProcess.curl
        posting.arguments = [
            "-s", "--max-time", "60", "-o", "answer", "-w", "%{http_code}", "-H", "Content-Type: application/json",
            "--data-binary", "@body", server.url,
        ]
        posting.currentDirectoryURL = folder.url
        posting.standardOutput = output
        try posting.run()
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while try absent.sql(waiting, database: store) == "0" {}
        let start = ContinuousClock.now
        let end = server.end(SIGTERM)
        #expect(ContinuousClock.now - start < .seconds(9))
        #expect(end.status == 0, "\(end.log)")
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "503")
        posting.waitUntilExit()
    }

    @Test(
        "A command for stores in files says so of a database, makes nothing, and names what to use instead",
        arguments: [
            (["backup", "copy.sqlite"], "pg_dump"),
            (["simulate", "--count", "1", "--keys", "others"], "skan store copy FILE postgresql://"),
        ])
    func filesOnly(_ command: [String], _ cure: String) throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        let outcome = try skan(command + ["--store", "postgresql://h:1/d"])
        let lines = outcome.errors.split(separator: "\n")
        try #require(outcome.status == 2 && lines.count == 2, "\(outcome)")
        #expect(lines[0].hasSuffix("postgresql://h:1/d is a database, and this command is for stores in files"))
        #expect(lines[1].hasPrefix("skan: hint: ") && lines[1].contains(cure), "\(lines[1])")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == before)
        let help = try skan("help", command[0])
        #expect(help.output.contains("store's file"))
    }

    @Test(
        "No command shows a password, neither of its store nor in a word that it refuses",
        arguments: [
            "doctor --store @", "doctor --format json --store @", "backup --store @ copy.sqlite", "migrate --store @",
            "simulate --count 1 --keys others --store @", "recount --repair --store @", "store copy @ copy.sqlite",
            "simulate --count 1 --post http://127.0.0.1:1 --report-store @", "replay --url http://h --store @",
            "quarantine show 1 --store @", "serve --check --store @", "recount @", "report -s@", "report @", "verify @",
        ])
    func passwords(_ line: String) throws {
        for address in ["postgresql://u:hush@127.0.0.1:1/d", "postgres://h/d?password=hush"] {
            let words = line.split(separator: " ").map { String($0).replacing("@", with: address) }
            let outcome = try skan(words)
            #expect(outcome.status != 0 && !(outcome.output + outcome.errors).contains("hush"), "\(outcome)")
        }
    }

    @Test("What cannot be reached or used is named, without secrets")
    func problems() throws {
        let secret = try skan("report", "--store", "postgresql://u:hush@127.0.0.1/d")
        #expect(secret.status == 2 && secret.errors.contains("holds a password") && !secret.errors.contains("hush"))
        let nobody = try skan("report", "--store", "postgresql://127.0.0.1:1/d")
        #expect(nobody.status == 2 && nobody.errors.contains("no server that takes writes was reached"))
        let empty = try skan("report", "--store", store)
        #expect(empty.status == 2 && empty.errors.contains("skan migrate"))
    }
}
