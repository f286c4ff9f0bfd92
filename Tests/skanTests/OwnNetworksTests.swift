import Foundation
import TestSupport
import Testing

@Suite("Whose postbacks count, as a process", .timeLimit(.minutes(5)))
struct OwnNetworksTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func get(_ url: String) throws -> String {
        try run(SkanProcess.curl, ["-s", "-i", "--max-time", "60", url]).output
    }

    @Test(
        "Without --network it is said at start, on the first page, by doctor and in each report of several networks",
        arguments: [[], ["--network", "example123.skadnetwork"]])
    func warnings(_ arguments: [String]) throws {
        let warns = arguments.isEmpty
        let server = try SkanServer(in: folder, arguments: arguments)
        #expect(server.startLog.contains(" warning every network's postbacks count as ours") == warns)
        for vector in ["skan-3.0-win", "skan-4.0-web-fine"] {
            try write(CommandTests.body(vector), to: "body")
            let answer = try run(
                SkanProcess.curl,
                ["-s", "-H", "Content-Type: application/json", "--data-binary", "@body", server.url]
            ).output
            #expect(answer.contains("\"recorded\""))
        }
        #expect(try get("\(server.console)/").contains("Without --network every network") == warns)
        let doctor = try skan("doctor", "--store", "skan.sqlite").output
        #expect(doctor.contains("\nwarning  networks: every network's postbacks count as ours") == warns, "\(doctor)")
        #expect(doctor.contains("start skan serve with --network ID") == warns)

        let warning = "postbacks of 2 networks count as ours"
        for path in ["/v1/report?by=app&format=json", "/v1/report?by=network&format=csv", "/v1/reports/overview"] {
            let answer = try get(server.console + path)
            #expect(answer.contains("Skan-Warning: \(warning)") == warns, "\(path): \(answer)")
        }
        for path in ["/reports/campaigns", "/explore"] {
            #expect(try get(server.console + path).contains(warning) == warns, "\(path)")
        }
        // A report of one network, of those that it names, or of what never counts, has nothing to warn of.
        for query in ["where=version%3D4.0", "where=network%3Dcom.example,example123.skadnetwork", "provenance=test"] {
            #expect(try !get("\(server.console)/v1/report?\(query)").contains("Skan-Warning"), "\(query)")
        }
        // It is no failure of a report, and logged once only, at the start.
        #expect(!server.end(SIGTERM).log.contains(warning))

        let report = try skan("report", "--store", "skan.sqlite")
        #expect(report.status == 0 && report.errors.contains("skan: warning: \(warning)") == warns, "\(report)")
        #expect(!report.errors.contains("recount"), "\(report)")
        #expect(try skan("report", "--store", "skan.sqlite", "--quiet").errors.isEmpty)
        let campaigns = try skan("report", "campaigns", "--store", "skan.sqlite").output
        #expect(campaigns.contains("WARNING: \(warning)") == warns, "\(campaigns)")
    }
}
