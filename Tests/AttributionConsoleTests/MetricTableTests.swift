import AttributionConsole
import Foundation
import Testing

@Suite("The table of metrics")
struct MetricTableTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let names = Set(PrometheusFamily.all.map(\.name))

    /// Every metric name that occurs as a literal in the sources, except in the table itself.
    private static func namesInSources() throws -> Set<String> {
        let files = FileManager.default.enumerator(
            at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
        var names: Set<String> = []
        for case let file as URL in try #require(files)
        where file.pathExtension == "swift" && file.lastPathComponent != "PrometheusFamily.swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /"((?:skan|process)_[a-z_]+)"/).map { String($0.1) })
            // Of the listeners, a name is put together from the listener and its events.
            for match in text.matches(of: /(?:counter\(of:|count\() ?"([a-z]+)"/) {
                names.formUnion(["console", "ingress", "signing"].map { "skan_\($0)_\(match.1)_total" })
            }
        }
        return names
    }

    @Test("What the code counts is declared once, and what is declared is counted")
    func sources() throws {
        #expect(Self.names.count == PrometheusFamily.all.count)
        #expect(try Self.namesInSources() == Self.names)
    }

    @Test("The operator's handbook has a row for each")
    func handbook() throws {
        let file = Self.root.appendingPathComponent("Sources/AttributionStore/AttributionStore.docc/Operations.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(Set(text.matches(of: /(?m)^\| `([a-z]+_[a-z_]+)` \|/).map { String($0.1) }) == Self.names)
    }

    @Test("Names follow Prometheus' conventions, and every help is a sentence", arguments: PrometheusFamily.all)
    func conventions(_ family: PrometheusFamily) {
        #expect(family.name.wholeMatch(of: /(skan|process)_[a-z_]+[a-z]/) != nil)
        #expect((family.kind == .counter) == family.name.hasSuffix("_total"))
        #expect(family.kind != .histogram || family.name.hasSuffix("_seconds"))
        #expect(family.help.first?.isUppercase == true && family.help.hasSuffix("."))
        #expect(!family.help.contains("\n") && !family.help.contains("\\"))
    }
}
