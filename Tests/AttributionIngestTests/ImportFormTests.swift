import Attribution
import AttributionHarness
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("Forms of files that people import", .timeLimit(.minutes(5)))
struct ImportFormTests {
    private let folder: URL
    private let standIn: AppleStandIn
    private let fields: [JSONField]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("skan-forms-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        standIn = try AppleStandIn()
        let draft = PostbackDraft([
            JSONField(name: "version", value: .string("4.0")),
            JSONField(name: "ad-network-id", value: .string("example123.skadnetwork")),
            JSONField(name: "source-identifier", value: .string("0042")),
            JSONField(name: "app-id", value: .integer(525_463_029)),
            JSONField(name: "transaction-id", value: .string("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")),
            JSONField(name: "redownload", value: .bool(true)),
            JSONField(name: "source-app-id", value: .integer(1_234_567_891)),
            JSONField(name: "fidelity-type", value: .integer(1)), JSONField(name: "did-win", value: .bool(true)),
            JSONField(name: "postback-sequence-index", value: .integer(0)),
            JSONField(name: "conversion-value", value: .integer(20)),
        ])
        fields = try JSONObject(reading: standIn.sign(draft)).fields
    }

    private func imported(
        _ text: String, bodyField: String? = nil, receivedField: String? = nil
    ) async throws -> (ImportTally, [String]) {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("file").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ledger = try SQLiteLedgerWriter(path: folder.appendingPathComponent("skan.sqlite").path)
        defer { _ = try? ledger.close() }
        var options = ImportOptions(latest: .max)
        options.bodyField = bodyField
        options.receivedField = receivedField
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        var bodies: [String] = []
        try await ImportFile(path).eachRecord(options) { _, record in
            if case .delivery(let body, let time, _, let others) = record {
                let verified = ([body] + others).first {
                    if case .verified = verifier.judge($0) { true } else { false }
                }
                bodies.append("\(time) \(String(decoding: verified ?? [], as: UTF8.self))")
            }
        }
        let importer = Importer(ledger: ledger, verifier: verifier, options: options)
        return (try await importer.run(try ImportFile(path)), bodies)
    }

    private var body: String { JSONText.object(fields.map { ($0.name, $0.value.text) }).line }

    private func csv(_ name: (String) -> String, _ cell: (JSONField) -> String) -> String {
        let head = (["timestamp"] + fields.map { name($0.name) }).joined(separator: ",")
        return head + "\n" + (["1620415056299"] + fields.map(cell)).joined(separator: ",") + "\n"
    }

    private static func plain(_ field: JSONField) -> String {
        switch field.value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): String(flag)
        default: ""
        }
    }

    private static func record(_ members: [JSONField]) -> String {
        JSONText.object([("ts", .string("1620415056299"))] + members.map { ($0.name, $0.value.text) }).line + "\n"
    }

    /// As pandas and PostgreSQL write what they took for numbers.
    private static func untyped(_ field: JSONField) -> String {
        switch (field.name, field.value) {
        case ("source-identifier", _): "42.0"
        case (_, .integer(let number)): "\(number).0"
        case (_, .bool(let flag)): flag ? "t" : "f"
        default: plain(field)
        }
    }

    @Test(
        "Columns with a prefix, in capitals or in camel case are Apple's", arguments: ["body_", "SKAD ", "skad.", ""])
    func columns(_ prefix: String) async throws {
        let (tally, bodies) = try await imported(
            csv({ prefix + $0.replacing("-", with: "_").uppercased() }, Self.plain))
        #expect(tally[.recorded] == 1 && tally.total == 1 && tally.proven == 0, "\(tally)")
        #expect(bodies == ["1620415056299 \(body)"])
    }

    @Test("Cells without types are read as the signature proves, and marked")
    func cells() async throws {
        let (tally, bodies) = try await imported(csv({ "skad_" + $0 }, Self.untyped))
        #expect(tally[.recorded] == 1 && tally.proven == 1, "\(tally)")
        #expect(bodies.first?.contains(#""source-identifier":"0042""#) == true)
        #expect(bodies.first?.contains(#""skan-cells-unproven":"conversion-value""#) == true)
        #expect(bodies.first?.contains(#""skan-cells-proven":"#) == true)
    }

    @Test("Cells that nothing proves are kept as they are")
    func unproven() async throws {
        let (tally, _) = try await imported(
            csv({ $0 }, { $0.name == "app-id" ? "1.0" : Self.untyped($0) }))
        #expect(tally.quarantined == 1 && tally.proven == 0, "\(tally)")
    }

    @Test("Two columns that may be one field are an error that names both")
    func ambiguous() async throws {
        await #expect {
            _ = try await imported(csv({ $0 == "conversion-value" ? "appId" : $0 }, Self.plain))
        } throws: { error in
            let text = "\(error)"
            return text.contains("app-id and appId") || text.contains("appId and app-id")
        }
    }

    @Test("Two columns that differ in separators are an error that names both, and how to help it")
    func sameColumns() async throws {
        await #expect {
            _ = try await imported(csv({ $0 == "conversion-value" ? "app_id" : $0 }, Self.plain))
        } throws: { error in
            guard let refusal = error as? Refusal else {
                return false
            }
            return refusal.message.contains("app-id and app_id") && refusal.hint?.contains("rename or remove") == true
        }
    }

    /// What databases and programs make of a cell, and of which field it is told.
    static let respelled: [(field: String, respell: @Sendable (String) -> String)] = [
        ("transaction-id", { $0.lowercased() }),
        ("transaction-id", { " " + $0 }),
        ("attribution-signature", { " " + $0 }),
        ("attribution-signature", { Base64.encode($0.utf8) }),
        ("did-win", { _ in "True" }),
        ("did-win", { _ in "1" }),
        ("app-id", { "id" + $0 }),
    ]

    @Test("A signed cell in another spelling is read as the signature proves, and marked", arguments: 0..<7)
    func respelledCell(_ index: Int) async throws {
        let (field, respell) = Self.respelled[index]
        let (tally, bodies) = try await imported(
            csv({ $0 }, { $0.name == field ? respell(Self.plain($0)) : Self.plain($0) }))
        #expect(tally[.recorded] == 1 && tally.proven == 1, "\(tally)")
        #expect(bodies.first?.contains(#""skan-cells-proven":"\#(field)""#) == true, "\(bodies)")
    }

    @Test("A space after each comma is not part of the cells")
    func spaces() async throws {
        let (tally, _) = try await imported(csv({ $0 }, Self.plain).replacing(",", with: ", "))
        #expect(tally[.recorded] == 1 && tally.proven == 1, "\(tally)")
    }

    @Test("A prefix that one name lacks", arguments: ["csv", "ndjson"])
    func mixedPrefix(_ form: String) async throws {
        func name(_ name: String) -> String {
            (name == "app-id" ? "" : "skad_") + name.replacing("-", with: "_")
        }
        let members = fields.map { JSONField(name: name($0.name), value: $0.value) }
        let record = Self.record(members)
        let (tally, bodies) = try await imported(form == "csv" ? csv(name, Self.plain) : record)
        #expect(tally[.recorded] == 1 && tally.total == 1, "\(tally)")
        #expect(bodies.first?.contains(#""app-id":525463029"#) == true)
    }

    @Test(
        "Values under Apple's names that name their types",
        arguments: ["S N BOOL", "- $numberLong -", "string long boolean"])
    func boxes(_ names: String) async throws {
        let names = names.split(separator: " ")
        let members = fields.map { field -> String in
            let index =
                switch field.value {
                case .string: 0
                case .integer: 1
                default: 2
                }
            let name = names[index]
            let isText = name == "N" || name.hasPrefix("$")
            let value = isText ? "\"\(Self.plain(field))\"" : field.value.text.line
            return "\"\(field.name)\":" + (name == "-" ? field.value.text.line : "{\"\(name)\":\(value)}")
        }
        let record = #"{"ts":{"$date":"2024-03-01T10:00:00.123Z"},\#(members.joined(separator: ","))}"# + "\n"
        let (tally, bodies) = try await imported(record)
        #expect(tally[.recorded] == 1 && tally.total == 1, "\(tally)")
        #expect(bodies.first?.hasPrefix("1709287200123 ") == true, "\(bodies)")
    }

    @Test("Two postbacks in one flat record are an error that names both", arguments: ["csv", "ndjson"])
    func flatPair(_ form: String) async throws {
        let second = try JSONObject(reading: other.utf8).fields.filter { $0.name != "source-app-id" }
        let both =
            fields.map { JSONField(name: "win_" + $0.name, value: $0.value) }
            + second.map { JSONField(name: "lose_" + $0.name, value: $0.value) }
        let names = ["win_attribution-signature", "lose_attribution-signature"]
        guard form == "csv" else {
            let (tally, _) = try await imported(Self.record(both))
            #expect(tally[.unreadable] == 1 && tally.total == 1, "\(tally)")
            #expect(names.allSatisfy { tally.problems[0].reason.contains($0) }, "\(tally.problems)")
            return
        }
        await #expect {
            _ = try await imported(
                (["ts"] + both.map(\.name)).joined(separator: ",") + "\n"
                    + (["1620415056299"] + both.map(Self.plain)).joined(separator: ",") + "\n")
        } throws: { error in
            names.allSatisfy { "\(error)".contains($0) }
        }
    }

    @Test("Excel's own forms are refused with what converts them", arguments: ["utf-16le", "utf-16be", "sep"])
    func excel(_ form: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("file").path
        let text = csv({ $0 }, Self.plain)
        let units = text.utf16.flatMap { form == "utf-16le" ? [UInt8($0 & 0xFF), 0] : [0, UInt8($0 & 0xFF)] }
        try Data(form == "sep" ? Array("sep=,\r\n\(text)".utf8) : units).write(to: URL(fileURLWithPath: path))
        for input in [nil, ImportInput.csv] {
            #expect {
                _ = try ImportFile(path, as: input)
            } throws: { error in
                let hint = (error as? Refusal)?.hint ?? ""
                return hint.contains(form == "sep" ? "tail -n +2" : "iconv -f \(form.uppercased()) -t UTF-8")
            }
        }
    }

    private func envelopes() -> [(text: String, field: String?, time: Int64)] {
        let quoted = JSONText.string(body).line
        return [
            (
                #"{"Records":[{"body":\#(quoted),"attributes":{"SentTimestamp":"1700000000000"}}]}"#, nil,
                1_700_000_000_000
            ),
            (
                #"{"body":"\#(Base64.encode(body.utf8))","isBase64Encoded":true,"requestContext":{"timeEpoch":1700000000000}}"#,
                nil, 1_700_000_000_000
            ),
            (#"{"received_at":{"$date":"2024-03-01T10:00:00.123Z"},"doc":{"x":\#(body)}}"#, nil, 1_709_287_200_123),
            (
                #"{"time":1700000000,"message":{"data":"\#(Base64.encode(body.utf8))"}}"#, "message.data",
                1_700_000_000_000
            ),
            (#"{"Records":[{"ts":1700000000,"body":\#(quoted)}]}"#, "Records[].body", 1_700_000_000_000),
            (#"{"ts":1700000000,"postbacks":[\#(body)]}"#, nil, 1_700_000_000_000),
        ]
    }

    @Test("Envelopes are opened, with the time that they have", arguments: 0..<6)
    func wrapped(_ index: Int) async throws {
        let (text, field, time) = envelopes()[index]
        let (tally, bodies) = try await imported(text + "\n", bodyField: field)
        #expect(tally[.recorded] == 1 && tally.total == 1, "\(tally)")
        #expect(bodies == ["\(time) \(body)"])
    }

    @Test("Values that are typed stay as they are, and in quarantine")
    func typed() async throws {
        let text = body.replacing(":525463029", with: ":525463029.0")
        let (tally, _) = try await imported(#"{"ts":1700000000,"body":\#(text)}"# + "\n")
        #expect(tally.quarantined == 1, "\(tally)")
    }

    /// Another postback in the same form.
    private var other: String {
        body.replacing("MEU", with: "MEQ").replacing("MEY", with: "MEU").replacing("MEQ", with: "MEY")
    }

    @Test("A second postback is named, also where it is there twice")
    func secondTwice() async throws {
        let (tally, _) = try await imported(#"{"ts":1700000000,"a":\#(body),"b":\#(other),"c":\#(other)}"# + "\n")
        #expect(tally[.unreadable] == 1 && tally.problems[0].reason.contains("another in b"), "\(tally)")
    }

    @Test("A record with more elements than are looked through is refused, and its path reads all")
    func manyElements() async throws {
        let bodies = (0..<80).map { body.replacing("6AAFB7A5", with: String(6_000_000_0 + $0)) }
        let records = bodies.map { #"{"body":\#($0)}"# }.joined(separator: ",")
        let (tally, _) = try await imported(#"{"ts":1700000000,"Records":[\#(records)]}"# + "\n")
        #expect(tally[.unreadable] == 1, "\(tally)")
        #expect(tally.problems[0].reason.contains("--body-field names the bodies"))
    }

    @Test("Each element has its own time, by a path")
    func elementTimes() async throws {
        let again = body.replacing("6AAFB7A5", with: "6AAFB7A6")
        let record = #"{"Records":[{"ts":1700000000,"body":\#(body)},{"ts":1700000009,"body":\#(again)}]}"# + "\n"
        let (_, bodies) = try await imported(record, bodyField: "Records[].body", receivedField: "Records[].ts")
        #expect(bodies.map { $0.prefix { $0 != " " } } == ["1700000000000", "1700000009000"])
    }

    @Test("A path that leads to nothing is a record without a body")
    func emptyBody() async throws {
        let (tally, _) = try await imported(
            #"{"ts":1700000000,"message":{"data":null}}"# + "\n", bodyField: "message.data")
        #expect(tally[.withoutBody] == 1 && tally.total == 1, "\(tally)")
    }

    @Test("Two postbacks in one record are an error that names both")
    func two() async throws {
        let (tally, _) = try await imported(#"{"ts":1700000000,"raw1":\#(body),"raw2":\#(other)}"# + "\n")
        #expect(tally[.unreadable] == 1 && tally.problems[0].reason.contains("raw1"), "\(tally)")
        #expect(tally.problems[0].reason.contains("raw2"))
    }
}
