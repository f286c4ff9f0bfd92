import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import StrictJSON
import TestSupport
import Testing

@Suite("Tables in a terminal")
struct TableTests {
    private let stores: ReportStores
    private let report: Report

    init() async throws {
        stores = try ReportStores()
        let reporter = try stores.reporter(at: [0, 0, 0]) { draft, index in
            draft[.adNetworkID] = .string(["n.skadnetwork", String(repeating: "long", count: 20), "網路網路"][index])
            draft[.sourceAppID] = .integer(1_234_567_890)
        }
        report = try await reporter.report(
            ReportStores.request("network,app,campaign,source,version,day") { $0.showsHistogram = true })
    }

    @Test(
        "No line is wider than the terminal, and every row is as wide as the rule",
        arguments: [40, 60, 80, 100, 132, 300])
    func width(_ width: Int) {
        let lines = report.rendered(as: .table, style: TextStyle(width: width)).split(separator: "\n")
        for line in lines {
            #expect(Self.width(String(line)) <= width, "\(line)")
        }
        #expect(lines.contains { $0.contains("more columns") && $0.contains("--columns") })
    }

    /// Ideographs are two columns wide.
    private static func width(_ line: String) -> Int {
        line.unicodeScalars.reduce(0) { $0 + ((0x4E00...0x9FFF).contains($1.value) ? 2 : 1) }
    }

    @Test("All figures are shown if there is room, with numbers right-aligned")
    func wide() throws {
        let text = report.rendered(as: .table, style: TextStyle(width: 2_000))
        #expect(!text.contains("more column") && text.contains("re-engagement-high"))
        let lines = text.split(separator: "\n").map(String.init)
        let rule = try #require(lines.first { $0.hasPrefix("─") })
        for line in lines.drop(while: { $0 != rule }).dropFirst().prefix(3) {
            #expect(Self.width(line) == rule.count && line.hasSuffix(" 0"))
        }
    }

    @Test("Without UTF-8 every character is ASCII")
    func ascii() {
        let text = report.rendered(as: .table, style: TextStyle(width: 80, isASCII: true))
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.contains("#####") && text.contains("-----  ---") && text.contains("... and "))
    }

    @Test("Bars are shown only on request")
    func bars() async throws {
        #expect(report.rendered(as: .table).contains("Conversion values of installs"))
        #expect(report.rendered(as: .markdown).contains("\n    Conversion values of installs\n"))
        let plain = try await stores.reporter(at: [0]).report(ReportStores.request("app"))
        #expect(!plain.rendered(as: .table).contains("Conversion values of"))
    }

    @Test("Long values are shortened only in tables")
    func longValues() {
        let long = String(repeating: "long", count: 20)
        #expect(!report.rendered(as: .table, style: TextStyle(width: 2_000)).contains(long))
        #expect(report.rendered(as: .csv).contains(long) && report.rendered(as: .json).contains(long))
    }

    @Test(
        "COLUMNS overrides the terminal's width, and the first non-empty locale decides",
        arguments: [
            ([:], 90, true, 90, true), ([:], nil, true, 80, true), ([:], 90, false, 120, true),
            (["COLUMNS": "70"], 90, true, 70, true), (["COLUMNS": "0"], 90, true, 90, true),
            (["COLUMNS": "5"], 90, true, 40, true), (["LANG": "en_US.UTF-8"], nil, false, 120, false),
            (["LC_CTYPE": "C.utf8", "LANG": "C"], nil, false, 120, false),
            (["LC_ALL": "C", "LC_CTYPE": "C.UTF-8"], nil, false, 120, true),
            (["LC_ALL": "", "LANG": "de_DE.UTF-8"], nil, false, 120, false),
            (["LANG": "de_DE.ISO-8859-1"], nil, false, 120, true),
        ] as [([String: String], Int?, Bool, Int, Bool)])
    func style(_ environment: [String: String], _ columns: Int?, _ isInteractive: Bool, _ width: Int, _ isASCII: Bool) {
        let style = TextStyle(columns: columns, isInteractive: isInteractive, environment: environment)
        #expect(style == TextStyle(width: width, isASCII: isASCII))
    }

    /// The table of four installs of two networks, one for each of some identifiers.
    static let goldenTables = [
        (
            120,
            """
            network       source-iden…  candidates    installs  redownloads  redownload-known  redownload-rate  conversion-null
            ────────────  ────────────  ────────────  ────────  ───────────  ────────────────  ───────────────  ───────────────
            example123.…  5239          –                    1            0                 1           0.0000                1
            example123.…  239           perhaps 5239         1            0                 1           0.0000                1
            example123.…  39            perhaps 5239         1            0                 1           0.0000                1
            example456.…  1140          –                    1            0                 1           0.0000                1
            ────────────  ────────────  ────────────  ────────  ───────────  ────────────────  ───────────────  ───────────────
            total                                            4            0                 4           0.0000                4
            … and 8 more columns: --columns null-rate,… or --format csv
            """
        ),
        (
            80,
            """
            network     source-iden…  candidates  installs  redownloads  redownload-known
            ──────────  ────────────  ──────────  ────────  ───────────  ────────────────
            example12…  5239          –                  1            0                 1
            example12…  239           perhaps 5…         1            0                 1
            example12…  39            perhaps 5…         1            0                 1
            example45…  1140          –                  1            0                 1
            ──────────  ────────────  ──────────  ────────  ───────────  ────────────────
            total                                        4            0                 4
            … and 10 more columns: --columns redownload-rate,… or --format csv
            """
        ),
    ]

    @Test(
        "Figures come first: what all rows share is said once, and ids are cut as far as they differ",
        arguments: goldenTables)
    func figuresFirst(_ width: Int, _ table: String) async throws {
        let reporter = try stores.reporter(at: [0, 0, 0, 0]) { draft, index in
            draft[.version] = .string("4.0")
            draft[.campaignID] = nil
            draft[.sourceIdentifier] = .string(["5239", "239", "39", "1140"][index])
            draft[.sequenceIndex] = .integer(0)
            draft[.adNetworkID] = .string(index == 3 ? "example456.skadnetwork" : "example123.skadnetwork")
        }
        let request = try SampleFigures.request(.campaigns) { $0.selection.provenance = "test" }
        let text = try await reporter.report(request).rendered(as: .table, style: TextStyle(width: width))
        #expect(text.contains("\n\nIn every row: app 525463029; campaign-id –.\n\(table)\n"), "\(text)")
    }

    @Test("Rows that differ never look the same", arguments: [40, 60, 80, 120, 300], [true, false])
    func distinct(_ width: Int, _ isASCII: Bool) async throws {
        let long = String(repeating: "long", count: 15)
        let networks = [long + "a", long + "b", "a" + long, "b" + long, long + "a" + long, long + "b" + long]
        let reporter = try stores.reporter(at: networks.map { _ in 0 }) { draft, index in
            draft[.adNetworkID] = .string(networks[index])
            draft[.campaignID] = .integer(7)
        }
        let report = try await reporter.report(ReportStores.request("network,app,campaign,version,day"))
        let lines = report.rendered(as: .table, style: TextStyle(width: width, isASCII: isASCII))
            .split(separator: "\n").drop { !$0.hasPrefix("─") && !$0.hasPrefix("---") }.dropFirst()
            .prefix { !$0.hasPrefix("─") && !$0.hasPrefix("---") }
        #expect(lines.count == networks.count && Set(lines).count == lines.count, "\(lines)")
    }

    @Test("Columns, their order and that of the rows are chosen, and keys stay")
    func choice() async throws {
        let reporter = try stores.reporter(at: [0, 0, 0]) { draft, index in
            draft[.sourceAppID] = .integer([7, 8, 8][index])
        }
        func section(_ change: (inout StandardReportParameters) -> Void) async throws -> ReportSection? {
            let request = try SampleFigures.request(.sources) { parameters in
                parameters.selection.provenance = "test"
                change(&parameters)
            }
            return try await reporter.report(request).sections.first
        }
        let chosen = try #require(
            try await section {
                ($0.selection.columns, $0.selection.sort, $0.selection.top) = ("null-rate,installs", "installs", "1")
            })
        #expect(chosen.columns.map(\.name) == ["source-app", "source-domain", "null-rate", "installs"])
        #expect(chosen.rows.map { $0.cells[0] } == [.key("7")] && chosen.omittedRows == 1)
        #expect(chosen.totals?.cells.last == .count(3))
        let descending = try await section { $0.selection.sort = "-source-app" }
        #expect(descending?.rows.map { $0.cells[0] } == [.key("8"), .key("7")])
        let byApp = try await section { $0.by = "app,network" }
        #expect(byApp?.columns.prefix(3).map(\.name) == ["app", "network", "installs"] && byApp?.rows.count == 1)
        await #expect(throws: FieldProblem.self) { try await section { $0.selection.columns = "installs,cost" } }
        await #expect(throws: FieldProblem.self) { try await section { $0.selection.sort = "cost" } }
        await #expect(throws: FieldProblem.self) { try await section { $0.by = "day" } }
    }

    @Test("Free reports have names of campaigns, too")
    func names() async throws {
        let names = #"{"version": 1, "apps": [{"id": 525463029, "name": "Puzzle"}], "campaigns": []}"#
        let map = try CampaignMap(documents: [("names.json", Array(names.utf8))])
        let reporter = Reporter(DailyLedger(days: 2), references: ReportReferences(campaigns: map))
        let report = try await reporter.report(ReportRequest(dimensions: [.network, .app, .campaignID]))
        #expect(
            report.sections[0].columns.prefix(6).map(\.name) == [
                "network", "app", "app-name", "campaign-id", "campaign-name", "campaign-mapping",
            ])
        #expect(report.sections[0].rows.first?.cells.count == report.sections[0].columns.count)
        #expect(report.rendered(as: .json).contains("\"campaign-mapping\": \"unmapped\""))
    }
}
