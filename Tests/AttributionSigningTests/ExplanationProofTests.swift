import Attribution
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

/// What is proven is what alone makes the signature verify; anything else is said to be less.
@Suite("What an explanation proves")
struct ExplanationProofTests {
    let standIn: AppleStandIn
    let explainer: PostbackExplainer
    let verifier: PostbackVerifier

    init() throws {
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        explainer = PostbackExplainer(verifier: verifier)
    }

    private static let signed: [(String, JSONValue)] = [
        ("version", .string("3.0")), ("ad-network-id", .string("example123.skadnetwork")),
        ("campaign-id", .integer(42)), ("app-id", .integer(525_463_029)),
        ("transaction-id", .string("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")), ("redownload", .bool(true)),
        ("source-app-id", .integer(1_234_567_891)), ("fidelity-type", .integer(1)), ("did-win", .bool(true)),
    ]

    /// A change of what was signed: fields under other names, and exchanged values.
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        /// Names by what they are instead.
        var renamed: [String: String] = [:]
        var exchanged: (String, String)?
        var retyped: (String, JSONValue)?
        var added: [(String, JSONValue)] = []
        let cause: ExplanationCause
        let field: String?
        /// What the evidence says, and what it must not say.
        let says: [String]
        var saysNot: [String] = []
    }

    static let rows = [
        Row(
            testDescription: "one name", renamed: ["app-id": "appId"], cause: .movedField, field: "app-id",
            says: ["if appId were app-id"], saysNot: ["only if", "also"]),
        Row(
            testDescription: "one name, beside one that decides nothing", renamed: ["app-id": "appId"],
            added: [("conversionValue", .integer(3))], cause: .movedField, field: "app-id",
            says: ["if appId were app-id"], saysNot: ["only if", "also", "conversion-value"]),
        Row(
            testDescription: "two names of one pipeline",
            renamed: ["app-id": "app_id", "transaction-id": "transaction_id"], cause: .movedField,
            field: "app-id, transaction-id", says: ["if app_id, transaction_id were app-id, transaction-id"],
            saysNot: ["only if", "also"]),
        Row(
            testDescription: "one name, whose field has few values", renamed: ["did-win": "did_win"],
            cause: .movedField, field: "did-win", says: ["if did_win were did-win"]),
        Row(
            testDescription: "two values exchanged", exchanged: ("app-id", "source-app-id"), cause: .movedField,
            field: "app-id", says: ["if app-id and source-app-id were exchanged"], saysNot: ["only if", "also"]),
        Row(
            testDescription: "two values of two types exchanged", exchanged: ("campaign-id", "transaction-id"),
            cause: .movedField, field: "campaign-id", says: ["if campaign-id and transaction-id were exchanged"],
            saysNot: ["only if", "also"]),
        Row(
            testDescription: "two values exchanged, and one of their names", renamed: ["app-id": "appId"],
            exchanged: ("app-id", "source-app-id"), cause: .movedField, field: "app-id",
            says: ["only if two things were undone", "appId were app-id, and", "were exchanged"]),
        Row(
            testDescription: "two values exchanged, beside a name that decides nothing",
            exchanged: ("app-id", "source-app-id"), added: [("countryCode", .string("DE"))], cause: .movedField,
            field: "app-id", says: ["if app-id and source-app-id were exchanged"],
            saysNot: ["only if", "also", "country-code"]),
        Row(
            testDescription: "a copy of a value under two other names", renamed: ["app-id": "appId"],
            added: [("app_id", .integer(525_463_029))], cause: .movedField, field: "app-id",
            says: ["if appId were app-id", "also if app_id were app-id", "which of these happened is not proven"]),
        Row(
            testDescription: "a name, and a type", renamed: ["did-win": "didWin"],
            retyped: ("redownload", .integer(1)), cause: .retyped, field: "redownload",
            says: ["only if two things were undone", "redownload were the boolean true, and", "didWin were did-win"]),
    ]

    private func body(_ row: Row) throws -> [UInt8] {
        let genuine = try JSONObject(
            reading: standIn.sign(PostbackDraft(Self.signed.map { JSONField(name: $0, value: $1) }))
        ).fields
        var values = Dictionary(uniqueKeysWithValues: genuine.map { ($0.name, $0.value) })
        if let (one, other) = row.exchanged {
            (values[one], values[other]) = (values[other], values[one])
        }
        if let (name, value) = row.retyped {
            values[name] = value
        }
        let fields = genuine.compactMap { field in
            values[field.name].map { (row.renamed[field.name] ?? field.name, $0) }
        }
        return Array(JSONText.object((fields + row.added).map { ($0, $1.text) }).line.utf8)
    }

    @Test("The cause is what alone makes it verify; two changes at once are said to be two", arguments: rows)
    func moved(_ row: Row) throws {
        let explanation = explainer.explain(try body(row))
        #expect(explanation.cause == row.cause && explanation.field == row.field, "\(explanation.evidence)")
        for text in row.says {
            #expect(explanation.evidence.contains(text), "\(explanation.evidence)")
        }
        for text in row.saysNot {
            #expect(!explanation.evidence.contains(text), "\(explanation.evidence)")
        }
    }

    static let sourceIdentifiers: [(signed: String, found: JSONValue, cause: ExplanationCause)] = [
        ("0042", .integer(42), .retyped), ("0007", .integer(7), .retyped), ("09", .integer(9), .retyped),
        ("5239", .integer(5239), .retyped), ("5239", .string(" 5239"), .valueChanged),
        ("5239", .string("5239\n"), .valueChanged), ("5239", .string("5239\u{2063}x"), .separatorInValue),
        ("0039", .string("0039\u{2063}"), .separatorInValue),
    ]

    @Test("The digits of a source identifier are named as they were signed", arguments: sourceIdentifiers)
    func sourceIdentifier(_ row: (signed: String, found: JSONValue, cause: ExplanationCause)) throws {
        let signed: [(String, JSONValue)] = [
            ("version", .string("4.0")), ("ad-network-id", .string("example123.skadnetwork")),
            ("source-identifier", .string(row.signed)), ("app-id", .integer(525_463_029)),
            ("transaction-id", .string("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")), ("redownload", .bool(true)),
            ("source-app-id", .integer(1_234_567_891)), ("fidelity-type", .integer(1)), ("did-win", .bool(true)),
            ("postback-sequence-index", .integer(0)),
        ]
        let genuine = try JSONObject(
            reading: standIn.sign(PostbackDraft(signed.map { JSONField(name: $0, value: $1) }))
        ).fields
        let body = JSONText.object(
            genuine.map { ($0.name, ($0.name == "source-identifier" ? row.found : $0.value).text) })
        let explanation = explainer.explain(Array(body.line.utf8))
        #expect(explanation.cause == row.cause && explanation.field == "source-identifier", "\(explanation.evidence)")
        if row.cause != .valueChanged {
            #expect(
                explanation.evidence.contains("source-identifier were the string \"\(row.signed)\""),
                "\(explanation.evidence)")
        }
    }

    @Test("Where several single changes make it verify, each is named and none is called proven")
    func several() throws {
        func genuine(_ id: String) throws -> JSONValue {
            var fields = Self.signed
            fields[4].1 = .string(id)
            let body = try standIn.sign(PostbackDraft(fields.map { JSONField(name: $0, value: $1) }))
            return .nested(String(decoding: body, as: UTF8.self))
        }
        // Two postbacks in one object.
        let body = #"{"first": \#(try text(genuine("a"))), "second": \#(try text(genuine("b")))}"#
        let explanation = explainer.explain(Array(body.utf8))
        #expect(explanation.cause == .movedField && explanation.field == "first")
        #expect(explanation.evidence.contains("if what is inside first were sent alone"))
        #expect(explanation.evidence.contains("also if what is inside second were sent alone"))
        #expect(explanation.evidence.contains("which of these happened is not proven"))
    }

    private func text(_ value: JSONValue) throws -> String {
        guard case .nested(let text) = value else {
            throw JSONError.syntax(offset: 0, expected: "an object")
        }
        return text
    }

    @Test("A name that occurs twice with one value was either of them")
    func twice() throws {
        let genuine = try standIn.sign(PostbackDraft(Self.signed.map { JSONField(name: $0, value: $1) }))
        let body = Array(genuine.dropLast()) + Array(#","app-id":525463029}"#.utf8)
        let explanation = explainer.explain(body)
        #expect(explanation.cause == .duplicateName && explanation.field == "app-id")
        #expect(explanation.evidence.contains("only the first app-id were there"))
        #expect(explanation.evidence.contains("also if only the last app-id were there"))
    }

    // MARK: Work

    /// Bodies that verify in no way, of a size, and dear to explain.
    static func dear(_ size: Int, _ standIn: AppleStandIn) throws -> [[UInt8]] {
        let strange: [(String, JSONValue)] = [
            ("version", .string("4.0")), ("ad-network-id", .string("Example123.skadnetwork")),
            ("source-identifier", .string("5239")), ("app-id", .string("525463029")),
            ("transaction-id", .string("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")), ("redownload", .integer(1)),
            ("source-app-id", .integer(0)), ("fidelity-type", .string("1")), ("did-win", .bool(true)),
            ("postback-sequence-index", .integer(0)), ("attribution-signature", .string(signature)),
        ]
        let payload: [(String, JSONValue)] = [
            ("postback-identifier", .string("85546EB7-FD39-44BC-8990-C98A4AC36A49")),
            ("ad-network-identifier", .string("Example123.skadnetwork")),
            ("advertised-item-identifier", .string("525463029")), ("publisher-item-identifier", .integer(0)),
            ("source-identifier", .integer(39)), ("conversion-type", .string("download")),
            ("impression-type", .string("app-impression")), ("marketplace-identifier", .string("com.apple.AppStore")),
            ("did-win", .integer(1)), ("postback-sequence-index", .string("0")),
        ]
        let names = 100
        func padding(_ room: Int, _ name: (Int) -> String, _ value: (Int) -> JSONValue) -> [(String, JSONValue)] {
            (0..<names).map { (name($0), value(max(1, room / names - name($0).utf8.count - 8))) }
        }
        func letters(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }
        func nested(_ count: Int) -> String { #"{"attribution-signature":"\#(String(repeating: "x", count: count))"}"# }
        func long(_ field: String, _ text: String, _ room: Int) -> [(String, JSONValue)] {
            let value = JSONValue.string(String(repeating: text, count: max(1, room / text.utf8.count)))
            return strange.map { ($0.0, $0.0 == field ? value : $0.1) }
        }
        let room = max(0, size - 500)
        let kinds: [[(String, JSONValue)]] = [
            strange + padding(room, { "k\($0)" }, letters), strange + padding(room, { "someName_\($0)" }, letters),
            long("transaction-id", " aB", room), long("ad-network-id", "aB ", room),
            long("attribution-signature", "%2B", room), long("transaction-id", "a\u{2063}", room),
        ]
        var bodies = kinds.map { Array(JSONText.object($0.map { ($0.0, $0.1.text) }).line.utf8) }
        let objects = (0..<names).map { #""n\#($0)":\#(nested(max(1, room / names - 40)))"# }.joined(separator: ",")
        let flat = JSONText.object(strange.map { ($0.0, $0.1.text) }).line
        bodies.append(Array((flat.dropLast() + "," + objects + "}").utf8))
        let inner = max(0, size * 3 / 4 - 700)
        let control = JSONValue.string(String(repeating: "\u{1}", count: inner / 6))
        for fields in [
            payload + padding(inner, { "k\($0)" }, letters), payload + padding(inner, { "someName_\($0)" }, letters),
            payload.map { ($0.0, $0.0 == "postback-identifier" ? control : $0.1) },
        ] {
            let text = JSONText.object(fields.map { ($0.0, $0.1.text) }).line
            let header = #"{"alg":"ES256","kid":"apple-cas-identifier/0"}"#
            let parts =
                [header, text].map { Base64URL.encode($0.utf8) } + [Base64URL.encode([UInt8](repeating: 1, count: 64))]
            bodies.append(Array(#"{"jws-string":"\#(parts.joined(separator: "."))"}"#.utf8))
        }
        return bodies
    }

    private static let signature = Base64.encode(
        [0x30, 0x44, 0x02, 0x20] + [UInt8](repeating: 0x11, count: 32) + [0x02, 0x20]
            + [UInt8](repeating: 0x22, count: 32))

    @Test("The work of an explanation is bounded by what was tried and how long it was", arguments: [1, 4, 8, 15])
    func work(_ kilobytes: Int) throws {
        for (index, body) in try Self.dear(kilobytes * 1_024, standIn).enumerated() {
            #expect(body.count <= 16 * 1_024)
            var work = RepairWork()
            let explanation = explainer.explain(verifier.judge(body), &work)
            #expect(explanation.verdict != .valid && explanation.cause == .unexplained, "\(index)")
            #expect(work.candidates > 0, "\(index)")
            // The last step may go beyond the limit.
            #expect(work.cost < RepairWork.limit + 2_000_000, "\(index): \(work)")
            #expect(work.bytes + work.listedBytes < 1_300_000, "\(index): \(work)")
            #expect(work.verified <= work.candidates && work.verified < 600, "\(index): \(work)")
        }
    }
}
