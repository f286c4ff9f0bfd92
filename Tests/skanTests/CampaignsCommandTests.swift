import Foundation
import StrictJSON
import Testing

@Suite("skan campaigns, and names in reports", .timeLimit(.minutes(5)))
struct CampaignsCommandTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path(name), encoding: .utf8)
    }

    private func campaigns(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["campaigns"] + arguments)
    }

    private func allocate(_ name: String, _ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(
            ["campaigns", "allocate", "c.json", "--network", "n.skadnetwork", "--app", "1", "--name", name] + arguments)
    }

    @Test("A new file is made, and ids are given once, until they have cooled off")
    func allocation() throws {
        #expect(try allocate("spring", "--from", "2026-03-01", "--to", "2026-03-31").output == "1000\n")
        #expect(try allocate("summer", "--from", "2026-06-01").output == "1001\n")
        #expect(try allocate("spring video", "--group", "00", "--from", "2026-03-01").output == "1100\n")
        #expect(
            try allocate("old", "--id", "campaign-id", "--from", "2026-03-01", "--to", "2026-03-31").output == "1\n")
        #expect(try allocate("new", "--id", "campaign-id", "--from", "2026-09-12").output == "2\n")
        #expect(try allocate("newer", "--id", "campaign-id", "--from", "2026-09-13").output == "1\n")
        #expect(try campaigns("check", "c.json").output == "ok: 6 campaigns, 0 apps and 0 source apps with names\n")
        let list = try campaigns("list", "c.json", "--date", "2026-05-01")
        #expect(
            list.output == """
                NETWORK        APP  CAMPAIGN  SOURCE  NAME          FROM        TO          UNTIL       STATE
                n.skadnetwork  1    -         1000    spring        2026-03-01  2026-03-31  2026-08-19  cooling
                n.skadnetwork  1    -         1001    summer        2026-06-01  -           -           planned
                n.skadnetwork  1    -         1100    spring video  2026-03-01  -           -           running
                n.skadnetwork  1    1         -       old           2026-03-01  2026-03-31  2026-09-12  cooling
                n.skadnetwork  1    2         -       new           2026-09-12  -           -           planned
                n.skadnetwork  1    1         -       newer         2026-09-13  -           -           planned

                """)
    }

    @Test("What a file says stays, and so does the file if nothing can be allocated")
    func rest() throws {
        let text = """
            {"version": 1,
              "apps": [ {"id": 1,  "name": "\\u0050uzzle"} ],
              "campaigns": [
                {"name": "a", "network": "n.skadnetwork", "app": 1, "campaign-id": 1, "from": "2026-01-01"}
              ]}
            """
        try write(text, to: "c.json")
        #expect(try allocate("b", "--id", "campaign-id", "--from", "2026-03-01").output == "2\n")
        #expect(
            try read("c.json") == """
                {
                  "version": 1,
                  "apps": [
                    {"id":1,"name":"Puzzle"}
                  ],
                  "campaigns": [
                    {"name":"a","network":"n.skadnetwork","app":1,"campaign-id":1,"from":"2026-01-01"},
                    {"name":"b","network":"n.skadnetwork","app":1,"campaign-id":2,"from":"2026-03-01"}
                  ]
                }

                """)
        for _ in 3...100 {
            #expect(try allocate("c", "--id", "campaign-id", "--from", "2026-03-01").status == 0)
        }
        let full = try read("c.json")
        let outcome = try allocate("d", "--id", "campaign-id", "--from", "2026-03-01")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(
            outcome.errors.hasPrefix(
                "skan: error: all campaign ids 1 to 100 of app 1 of n.skadnetwork are in use, or postbacks with them may "
                    + "still arrive\nskan: hint: end a campaign in the file"))
        #expect(try read("c.json") == full)
    }

    @Test("Commands that allocate at once never take the same id")
    func together() async throws {
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 1...8 {
                group.addTask { try allocate("c\(index)", "--id", "campaign-id").output }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ids).count == 8 && ids.allSatisfy { $0 != "" })
        #expect(try campaigns("check", "c.json").status == 0)
    }

    @Test(
        "What cannot be is refused before the file is touched",
        arguments: [
            ["--group", "5239"], ["--group", "x"], ["--id", "campaign-id", "--group", "39"], ["--from", "2026-02-30"],
            ["--from", "2026-03-02", "--to", "2026-03-01"], ["--id", "campaign"],
        ])
    func refused(_ arguments: [String]) throws {
        let outcome = try skan(
            ["campaigns", "allocate", "c.json", "--network", "n", "--app", "1", "--name", "a"] + arguments)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("skan: error: "), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("c.json")))
    }

    @Test("Campaigns that share an id too closely are named, with status 1")
    func conflicts() throws {
        try write(
            """
            {"version": 1, "campaigns": [
              {"name": "a", "network": "n", "app": 1, "campaign-id": 1, "from": "2026-01-01", "to": "2026-01-31"},
              {"name": "b", "network": "n", "app": 1, "campaign-id": 1, "from": "2026-03-01"}]}
            """, to: "c.json")
        let outcome = try campaigns("check", "c.json")
        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                app 1: campaign id 1 is "a", 2026-01-01 to 2026-01-31, and "b", from 2026-03-01 on; postbacks of the first \
                may arrive until 2026-07-15

                """)
        try write("{\"version\": 1, \"campaign\": []}", to: "bad.json")
        let bad = try campaigns("check", "bad.json")
        #expect(bad.status == 2 && bad.errors.contains("skan: hint: write campaigns\n"), "\(bad.errors)")
    }

    @Test("Reports show names beside ids, also those of a server")
    func report() throws {
        let recorded = try WorkFolder(recording: ["skan-3.0-win", "skan-4.0-web-fine", "skan-4.0-web-coarse"])
        try Data(
            """
            {"version": 1, "apps": [{"id": 525463029, "name": "Puzzle, the app"}],
             "source-apps": [{"id": 1234567891, "name": "Word game"}], "campaigns": [
              {"name": "web", "network": "com.example", "app": 525463029, "source-identifier": "39", "from": "2020-01-01"},
              {"name": "banner", "network": "com.example", "app": 525463029, "source-identifier": "5239",
               "from": "2020-01-01"}]}
            """.utf8
        ).write(to: URL(fileURLWithPath: recorded.path("names.json")))
        let csv = try SkanProcess.run(
            [
                "report", "campaigns", "-s", "skan.sqlite", "--campaigns", "names.json", "--no-compare", "--format",
                "csv", "--quiet",
            ], in: recorded.url)
        let lines = csv.output.split(separator: "\r\n")
        let header =
            "network,app,app-name,campaign-id,source-identifier,campaign-name,campaign-mapping,candidates,installs,"
        #expect(lines.first?.hasPrefix(header) == true)
        for line in [
            #"com.example,525463029,"Puzzle, the app",,39,web,named,perhaps 5239,1,"#,
            #"com.example,525463029,"Puzzle, the app",,5239,web / banner,named,,1,"#,
            #"example123.skadnetwork,525463029,"Puzzle, the app",42,,,unmapped,,1,"#,
        ] {
            #expect(lines.contains { $0.hasPrefix(line) }, "\(csv.output)\(csv.errors)")
        }
        let server = try SkanServer(in: recorded, arguments: ["--campaigns", "names.json"])
        let served = try SkanProcess.run(
            SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/v1/reports/sources?format=csv"],
            in: recorded.url
        ).output
        #expect(
            served.contains("source-app,source-app-name,source-domain,") && served.contains("1234567891,Word game,"))
        _ = server.end(SIGTERM)
        let plain = try SkanProcess.run(
            [
                "report", "-s", "skan.sqlite", "--campaigns", "names.json", "--by", "network,app,source-identifier",
                "--columns", "installs", "--format", "csv", "--quiet",
            ], in: recorded.url)
        #expect(plain.output.contains(#"com.example,525463029,"Puzzle, the app",5239,web / banner,named,1"#))
    }
}
