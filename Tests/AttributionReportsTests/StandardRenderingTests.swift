import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON
import Testing

@Suite("Standard reports in every format")
struct StandardRenderingTests {
    static let hostile = "<script>alert('x')</script>|\"a\",=1\u{7}&"

    let stores: ReportStores

    init() throws {
        stores = try ReportStores()
    }

    /// A report with a hostile source domain.
    private func report(
        _ name: StandardReportName,
        _ change: (inout StandardReportParameters) -> Void = { _ in }
    ) async throws -> StandardReport {
        var parameters = StandardReportParameters()
        parameters.name = name.rawValue
        parameters.selection.provenance = "test"
        parameters.selection.from = "2026-11-20"
        parameters.selection.to = "2026-11-21"
        parameters.isExplained = true
        change(&parameters)
        let request = try StandardReportRequest(parameters, nowMilliseconds: ReportStores.night[1])
        return try await stores.reporter(at: ReportStores.night) { draft, _ in
            draft[.version] = .string("4.0")
            draft[.campaignID] = nil
            draft[.sourceIdentifier] = .string("5239")
            draft[.sequenceIndex] = .integer(0)
            draft[.sourceDomain] = .string("a|<b>\"'.example")
            draft[.conversionValue] = .integer(0)
        }.report(request)
    }

    @Test("JSON is an object of sections, with rows by column name", arguments: StandardReportName.allCases)
    func json(_ name: StandardReportName) async throws {
        let report = try await report(name)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(report.rendered(as: .json).utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "skan.standard-report/1" && object["report"] as? String == name.rawValue)
        let sections = try #require(object["sections"] as? [[String: Any]])
        #expect(sections.map { $0["section"] as? String } == StandardReportPlan(name).sectionNames)
        for section in sections {
            let columns = try #require(section["columns"] as? [[String: Any]])
            let names = columns.compactMap { $0["name"] as? String }
            #expect(columns.allSatisfy { ($0["definition"] as? String)?.isEmpty == false })
            for row in try #require(section["rows"] as? [[String: Any]]) {
                #expect(Set(row.keys) == Set(names + ["previous"]))
            }
        }
    }

    @Test("NDJSON has one object per line, each row with its provenance and section")
    func lines() async throws {
        let text = try await report(.wins).rendered(as: .ndjson)
        let objects = try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.first?["type"] as? String == "report")
        let rows = objects.filter { $0["type"] as? String == "row" }
        #expect(!rows.isEmpty && rows.allSatisfy { $0["provenance"] as? String == "test" && $0["section"] != nil })
    }

    @Test("CSV has one header, and bounds in two columns")
    func csv() async throws {
        let text = try await report(.windows) {
            ($0.section, $0.format, $0.isExplained) = ("funnel", .csv, false)
        }.rendered(as: .csv)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.count == 5 && lines[4].isEmpty)
        #expect(lines[0].contains("can-have-arrived-at-least,can-have-arrived-at-most,"))
        #expect(lines[0].contains("postbacks,previous-postbacks,"))
        let width = lines[0].split(separator: ",").count
        #expect(
            lines.dropLast().allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == width })
    }

    @Test("No value of a postback is markup", arguments: [ReportFormat.html, .markdown])
    func escaping(_ format: ReportFormat) async throws {
        let text = try await report(.sources).rendered(as: format)
        #expect(!text.contains("<b>") && text.contains("example"))
        #expect(!text.contains("<script") && !text.contains("http"))
        #expect(format == .markdown || text.contains("a|&lt;b&gt;&quot;&#39;.example"))
    }

    @Test(
        "Every table of HTML is well formed, with headings of columns and rows", arguments: StandardReportName.allCases)
    func html(_ name: StandardReportName) async throws {
        let text = try await report(name).rendered(as: .html)
        for tag in ["table", "thead", "tbody", "tfoot", "section", "tr", "dl", "caption"] {
            let opened = text.components(separatedBy: "<\(tag)>").count + text.components(separatedBy: "<\(tag) ").count
            #expect(opened - 1 == text.components(separatedBy: "</\(tag)>").count, "\(tag)")
        }
        #expect(text.contains("scope=\"col\"") && text.hasSuffix("</html>\n"))
    }

    @Test(
        "HTML for mail has few figures, and its footnotes name columns of its headers",
        arguments: StandardReportName.allCases)
    func mail(_ name: StandardReportName) async throws {
        let text = try await report(name).rendered(as: .html)
        for section in text.components(separatedBy: "<section ").dropFirst() {
            let header = section.matches(of: /<th scope="col" align="(left|right)">([^<]*)<\/th>/).map {
                (isFigure: $0.output.1 == "right", title: String($0.output.2))
            }.filter { !$0.title.contains(", before") }
            #expect(header.count(where: \.isFigure) <= 4, "\(section)")
            let marked = header.map(\.title).filter { $0.hasSuffix(" *") }.map { String($0.dropLast(2)) }
            let footnote = section.firstMatch(of: /<p>\* Not signed by Apple: ([^<]*)\.<\/p>/)?.output.1
            #expect(footnote.map { String($0) } == (marked.isEmpty ? nil : marked.joined(separator: ", ")))
            let titles = header.map { $0.title.replacing(" *", with: "") }
            for defined in section.matches(of: /<dt>([^<]*)<\/dt>/) {
                #expect(titles.contains(String(defined.output.1)), "\(defined.output.1)")
            }
        }
        #expect(!text.contains("<script") && !text.contains("max-width: 75rem") && !text.contains("overflow"))
    }

    @Test("Each row has a bar for its main figure, the longest for the greatest")
    func bars() async throws {
        let text = try await report(.overview).rendered(as: .html)
        let days = try #require(
            text.components(separatedBy: "<section id=\"days\">").last?.components(separatedBy: "</section>").first)
        let widths = days.matches(of: /bgcolor="#[0-9a-f]{6}" width="([0-9]+)"/).compactMap { Int($0.output.1) }
        #expect(widths.max() == 120 && widths.allSatisfy { (1...120).contains($0) }, "\(days)")
    }

    @Test("Tables fit the width, and name what they leave out", arguments: [60, 80, 120], StandardReportName.allCases)
    func table(_ width: Int, _ name: StandardReportName) async throws {
        let text = try await report(name).rendered(as: .table, style: TextStyle(width: width, isASCII: true))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("Control characters become visible in HTML, and quotes are escaped")
    func characters() {
        #expect(Self.hostile.escapedHTML.contains("\u{FFFD}&amp;") && !Self.hostile.escapedHTML.contains("<"))
        #expect("a\tb\nc".escapedHTML == "a\tb\nc" && "\u{85}\u{7F}\r".escapedHTML == "\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect("\"'".escapedHTML == "&quot;&#39;")
    }
}
