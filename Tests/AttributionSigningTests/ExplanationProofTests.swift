import Attribution
import AttributionExplaining
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

/// What is proven is what alone makes the signature verify; anything else is said to be less.
@Suite("What an explanation proves")
struct ExplanationProofTests {
    let standIn: AppleStandIn
    let explainer: PostbackExplainer
    init() throws {
        standIn = try AppleStandIn()
        explainer = PostbackExplainer(verifier: try PostbackVerifier(testKeys: standIn.publicKeys()))
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
            testDescription: "one name", renamed: ["app-id": "appId"], cause: .renamedField, field: "app-id",
            says: ["if appId were app-id"], saysNot: ["only if"]),
        Row(
            testDescription: "one name, beside one that decides nothing", renamed: ["app-id": "appId"],
            added: [("conversionValue", .integer(3))], cause: .renamedField, field: "app-id",
            says: ["if appId were app-id"], saysNot: ["only if", "conversion-value"]),
        Row(
            testDescription: "two names of one pipeline",
            renamed: ["app-id": "app_id", "transaction-id": "transaction_id"], cause: .renamedField,
            field: "app-id, transaction-id", says: ["if app_id, transaction_id were app-id, transaction-id"],
            saysNot: ["only if"]),
        Row(
            testDescription: "one name, whose field has few values", renamed: ["did-win": "did_win"],
            cause: .renamedField, field: "did-win", says: ["if did_win were did-win"]),
        Row(
            testDescription: "two values exchanged", exchanged: ("app-id", "source-app-id"), cause: .movedField,
            field: "app-id", says: ["if app-id and source-app-id were exchanged"], saysNot: ["only if"]),
        Row(
            testDescription: "two values of two types exchanged", exchanged: ("campaign-id", "transaction-id"),
            cause: .movedField, field: "campaign-id", says: ["if campaign-id and transaction-id were exchanged"],
            saysNot: ["only if"]),
        Row(
            testDescription: "two values exchanged, and one of their names", renamed: ["app-id": "appId"],
            exchanged: ("app-id", "source-app-id"), cause: .renamedField, field: "app-id",
            says: ["only if two things were undone", "appId were app-id, and", "were exchanged"]),
        Row(
            testDescription: "two values exchanged, beside a name that decides nothing",
            exchanged: ("app-id", "source-app-id"), added: [("countryCode", .string("DE"))], cause: .movedField,
            field: "app-id", says: ["if app-id and source-app-id were exchanged"],
            saysNot: ["only if", "country-code"]),
        Row(
            testDescription: "a name, and a type", renamed: ["did-win": "didWin"],
            retyped: ("redownload", .integer(1)), cause: .renamedField, field: "did-win",
            says: ["only if two things were undone", "didWin were did-win, and", "redownload were the boolean true"]),
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

    @Test("Of a name that occurs twice only one is kept")
    func twice() throws {
        let genuine = try standIn.sign(PostbackDraft(Self.signed.map { JSONField(name: $0, value: $1) }))
        let body = Array(genuine.dropLast()) + Array(#","app-id":525463029}"#.utf8)
        let explanation = explainer.explain(body)
        #expect(explanation.cause == .duplicateName && explanation.field == "app-id")
        #expect(explanation.evidence.contains("only the first app-id were there"))
    }
}
