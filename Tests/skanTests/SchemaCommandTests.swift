import Foundation
import TestSupport
import Testing

@Suite("skan schema, and skan report revenue", .timeLimit(.minutes(5)))
struct SchemaCommandTests: FolderSuite {
    let folder: WorkFolder

    static let schemas = """
        {"version": 1, "schemas": [
          {"app": 525463029, "name": "first", "from": "2020-01-01", "to": "2026-09-30", "currency": "EUR",
           "fine": [{"from": 0, "to": 63, "events": ["play"], "revenue": {"low": "0.99", "high": 4.99}}],
           "coarse": {"1": {"high": {"events": ["buy"], "revenue": {"low": 5, "high": 50}}}}},
          {"app": 525463029, "name": "second", "from": "2026-10-01", "currency": "EUR",
           "bits": [
             {"name": "level", "first-bit": 0, "count": 3, "values": [{"from": 0, "to": 6, "events": ["level"]}]},
             {"name": "bought", "first-bit": 3, "count": 1, "values": [
               {"value": 0, "revenue": 0}, {"value": 1, "events": ["buy"], "revenue": 9.99}]}]}
        ]}
        """
    /// One that holds on every day on which tests run.
    static let always = """
        {"version": 1, "schemas": [
          {"app": 525463029, "from": "2020-01-01", "currency": "EUR",
           "fine": [{"value": 20, "events": ["play"], "revenue": {"low": "0.99", "high": 4.99}}],
           "coarse": {"1": {"high": {"events": ["buy"], "revenue": {"low": 5, "high": 50}}}}}
        ]}
        """

    init() throws {
        folder = try WorkFolder()
        try write(Self.schemas, to: "schemas.json")
        try write(Self.always, to: "always.json")
    }

    private func schema(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["schema"] + arguments)
    }

    @Test("A file that is as it must be is shown with what it leaves out, and when both schemas may arrive")
    func check() throws {
        let outcome = try schema("check", "schemas.json")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(
            outcome.output == """
                app 525463029: "first", 2020-01-01 to 2026-09-30: 64 of 64 fine values; 1 of 9 coarse values (none for \
                low in window 1, medium in window 1, low in window 2, medium in window 2, high in window 2, low in \
                window 3, medium in window 3, high in window 3); revenue in EUR
                app 525463029: "second", from 2026-10-01 on: 14 of 64 fine values (none for 7, 15-63); 0 of 9 coarse \
                values (none for low in window 1, medium in window 1, high in window 1, low in window 2, medium in \
                window 2, high in window 2, low in window 3, medium in window 3, high in window 3); revenue in EUR
                app 525463029: postbacks of both schemas around 2026-10-01 may arrive: up to 3.0 2026-10-02 to \
                2026-10-11, window 1 2026-10-02 to 2026-10-13, window 2 2026-10-02 to 2026-10-20, window 3 2026-10-02 \
                to 2026-11-12

                """)
    }

    @Test("Every problem of every file is printed with its cure")
    func problems() throws {
        try write(Self.schemas.replacing("\"level\", \"first-bit\"", with: "\"level\", \"fist-bit\""), to: "bad.json")
        let outcome = try schema("check", "bad.json", "none.json")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                skan: error: none.json: the file: found no such file, expected a file that can be read
                skan: hint: check its path and its mode
                skan: error: bad.json: schemas[1].bits[0].fist-bit: found the number 0, expected one of the names name, \
                first-bit, count, values
                skan: hint: write first-bit
                skan: error: bad.json: schemas[1].bits[0].first-bit: found nothing, expected a whole number from 0 to 5
                skan: hint: add "first-bit"

                """)
    }

    static let explanations: [([String], Int32, String)] = [
        (
            ["--value", "37", "--date", "2026-09-30"], 0,
            """
            app 525463029, set on 2026-09-30: "first", 2020-01-01 to 2026-09-30
            value 37: play; revenue 0.99 to 4.99 EUR

            """
        ),
        (
            ["--value", "12", "--date", "2026-10-01"], 0,
            """
            app 525463029, set on 2026-10-01: "second", from 2026-10-01 on
            value 12: level, buy; revenue 9.99 EUR
              level = 4: level; revenue not given
              bought = 1: buy; revenue 9.99 EUR

            """
        ),
        (
            ["--value", "1", "--coarse", "high", "--window", "2", "--date", "2026-09-30"], 1,
            """
            app 525463029, set on 2026-09-30: "first", 2020-01-01 to 2026-09-30
            value 1: play; revenue 0.99 to 4.99 EUR
            coarse high in window 2: no meaning

            """
        ),
        (
            ["--value", "1", "--date", "2019-12-31"], 1,
            """
            app 525463029 has no schema on 2019-12-31; it has: 2020-01-01 to 2026-09-30, from 2026-10-01 on

            """
        ),
    ]

    @Test("A value is explained by the schema of the day on which it was set", arguments: explanations)
    func explain(_ arguments: [String], _ status: Int32, _ text: String) throws {
        let outcome = try skan(["schema", "explain", "schemas.json", "--app", "525463029"] + arguments)
        #expect(outcome.status == status && outcome.output == text, "\(outcome.output)\(outcome.errors)")
    }

    @Test(
        "An explanation needs a value that can be",
        arguments: [
            [], ["--value", "64"], ["--coarse", "high"], ["--window", "1"], ["--coarse", "high", "--window", "4"],
            ["--coarse", "huge", "--window", "1"], ["--value", "1", "--date", "2026-13-01"],
        ])
    func impossible(_ arguments: [String]) throws {
        let outcome = try skan(["schema", "explain", "schemas.json", "--app", "525463029"] + arguments)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("skan: error: "), "\(outcome.errors)")
    }

    @Test("Two files are compared value by value; the same file has no differences")
    func diff() throws {
        #expect(try schema("diff", "schemas.json", "schemas.json").status == 0)
        try write(Self.schemas.replacing("9.99", with: "8.99"), to: "new.json")
        let outcome = try schema("diff", "schemas.json", "new.json")
        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                app 525463029, from 2026-10-01 on: values 8-14
                - level, buy; revenue 9.99 EUR
                + level, buy; revenue 8.99 EUR

                """)
    }

    @Test("The report has the same exact revenue in every format, and needs schemas that are as they must be")
    func report() throws {
        let recorded = try WorkFolder(recording: ["skan-3.0-win", "skan-4.0-web-fine", "skan-4.0-web-coarse"])
        try Data(Self.always.utf8).write(to: URL(fileURLWithPath: recorded.path("always.json")))
        func report(_ arguments: [String]) throws -> SkanProcess.Outcome {
            try SkanProcess.run(["report", "revenue", "-s", "skan.sqlite"] + arguments, in: recorded.url)
        }
        let csv = try report(["--schema", "always.json", "--section", "totals", "--format", "csv", "--quiet"])
        // One value of 0.99 to 4.99, one of 5 to 50, and one without a meaning.
        #expect(
            csv.output == """
                kind,currency,postbacks,between-schemas,revenue-low,revenue-mid,revenue-high\r
                install,EUR,2,0,5.99,30.49,54.99\r
                install,,1,,,,\r

                """, "\(csv.errors)")
        let json = try report(["--schema", "always.json", "--format", "json"])
        #expect(json.status == 0 && json.output.contains("\"revenue-mid\": \"30.49\""))
        #expect(json.output.contains("\"unmapped\": 1"))
        for format in ["table", "ndjson", "markdown", "html"] {
            #expect(try report(["--schema", "always.json", "--format", format]).output.contains("30.49"))
        }
        #expect(try report([]).output.contains("No schema is known"))
        let estimates = try SkanProcess.run(
            ["report", "estimates", "-s", "skan.sqlite", "--schema", "always.json"], in: recorded.url)
        #expect(estimates.status == 0 && estimates.output.contains("Method: estimates"))
        let refused = try report(["--schema", "none.json"])
        #expect(refused.status == 2 && refused.errors.hasPrefix("skan: error: none.json: the file: found no such file"))
        let other = try SkanProcess.run(
            ["report", "campaigns", "-s", "skan.sqlite", "--schema", "always.json"], in: recorded.url)
        let reports = "--schema is for the reports performance, revenue and estimates"
        #expect(other.status == 2 && other.errors.contains(reports))
    }

    @Test("A server reads schemas again on SIGHUP, or keeps those it has if one is wrong")
    func reload() async throws {
        let server = try SkanServer(in: folder, arguments: ["--schema", "always.json"])
        #expect(server.startLog.contains("schemas and campaigns read campaigns=0 schemas=1"))
        try write("{\"version\": 1}", to: "always.json")
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("nothing was reloaded: a file could not be read"))
        try write(Self.schemas, to: "always.json")
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("schemas and campaigns read again campaigns=0 schemas=2"))
        _ = server.end(SIGTERM)
    }

    @Test("A server does not start with schemas that are wrong, and --check names every problem")
    func refusedStart() throws {
        try write("{\"version\": 2, \"schema\": []}", to: "bad.json")
        let outcome = try skan(
            [
                "serve", "--check", "--store", "new.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0",
                "--schema", "bad.json",
            ])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("bad.json: version: found the number 2"))
        #expect(outcome.errors.contains("bad.json: schema: found an array"))
    }
}
