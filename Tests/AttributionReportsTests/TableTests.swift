import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import StrictJSON
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
}
