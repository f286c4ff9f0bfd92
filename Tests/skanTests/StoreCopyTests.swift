import Foundation
import TestSupport
import Testing

// One at a time: a transaction that one holds open keeps others' reports from what was recorded after it began, on the
// whole server.
@Suite("Moving a store, as a process", .serialized, .timeLimit(.minutes(10)))
struct StoreCopyTests {
    let folder: WorkFolder
    let server: PostgreSQLServer
    let database: String

    init() throws {
        folder = try WorkFolder()
        server = try .shared()
        database = try server.makeDatabase()
    }

    private func skan(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url)
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
            let recount = try SkanProcess.run(["recount", "--store", store] + SkanServer.testKeys, in: folder.url)
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

    @Test("A copy into a file that is killed goes on, takes over what came since, and ends the same to the digit")
    func intoFile() throws {
        _ = try skan("simulate", "--count", "6000", "--days", "3", "--keys", "keys", "--store", "first.sqlite")
        #expect(try skan("store", "copy", "first.sqlite", database, "--source-stopped").status == 0)
        let source = try SkanServer(in: folder, store: database)
        // What is read behind the postbacks does not come.
        let holder = try start(
            URL(fileURLWithPath: "/usr/lib/postgresql/15/bin/psql"),
            [
                "--no-psqlrc", "--dbname", database, "--command",
                "BEGIN; LOCK TABLE skan.recipient_copy IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)",
            ])
        let locks = "FROM pg_locks WHERE relation = 'skan.recipient_copy'::regclass AND "
        try wait(until: "EXISTS (SELECT \(locks) granted)")
        try kill(["\(database)", "copy.sqlite"], at: "EXISTS (SELECT \(locks) NOT granted)", whilePostingTo: source)
        _ = try sql("SELECT pg_terminate_backend(pid, 10000) \(locks) granted")
        holder.waitUntilExit()
        _ = source.end(SIGTERM)
        let last = try skan("store", "copy", database, "copy.sqlite", "--source-stopped")
        #expect(last.status == 0, "\(last)")
        try expectSame(database, "copy.sqlite")
        try expectSame("copy.sqlite", database)
        #expect(try skan("store", "copy", database, "copy.sqlite").output.hasPrefix("copied 0 postbacks and 0 deliv"))
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
        #expect(try SkanProcess.run(SkanProcess.sqlite, ["skan.sqlite", exchange], in: folder.url).status == 0)
        let copy = try skan("store", "copy", "skan.sqlite", "copy.sqlite")
        #expect(copy.status == 1, "\(copy)")
        #expect(copy.errors.contains("2 postbacks were left out, the first of them 3, 4: "), "\(copy)")
        #expect(copy.errors.contains("no copy into copy.sqlite comes back to them"), "\(copy)")
        #expect(copy.errors.contains("skan recount --store skan.sqlite --repair"), "\(copy)")
    }
}
