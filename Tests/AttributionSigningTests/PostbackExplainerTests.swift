import Attribution
import AttributionExplaining
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

/// The harness breaks postbacks by its own means, so its faults do not share a mistake with the repairs.
@Suite("Why a postback verifies or not")
struct PostbackExplainerTests {
    let standIn: AppleStandIn
    let stranger: AppleStandIn
    let explainer: PostbackExplainer

    init() throws {
        standIn = try AppleStandIn()
        stranger = try AppleStandIn()
        explainer = PostbackExplainer(verifier: try PostbackVerifier(testKeys: standIn.publicKeys()))
    }

    private func body(_ version: AttributionVersion) throws -> [UInt8] {
        try Self.body(version, by: standIn)
    }

    /// A postback of a version that names no source.
    static func body(_ version: AttributionVersion, by standIn: AppleStandIn) throws -> [UInt8] {
        guard let version = version.skAdNetwork else {
            return try standIn.sign(
                AdAttributionKitDraft(
                    signed: [
                        ("postback-identifier", .string("85546EB7-FD39-44BC-8990-C98A4AC36A49")),
                        ("ad-network-identifier", .string("example123.skadnetwork")),
                        ("advertised-item-identifier", .integer(525_463_029)),
                        ("source-identifier", .string("39")), ("conversion-type", .string("download")),
                        ("impression-type", .string("app-impression")), ("did-win", .bool(true)),
                        ("postback-sequence-index", .integer(0)),
                    ].map(JSONField.init), unproven: [JSONField(name: "conversion-value", value: .integer(3))]))
        }
        let fields: [(String, JSONValue?)] = [
            ("version", version > .v1_0 ? .string(version.rawValue) : nil),
            ("ad-network-id", .string("example123.skadnetwork")),
            version.hasSourceIdentifier ? ("source-identifier", .string("39")) : ("campaign-id", .integer(42)),
            ("app-id", .integer(525_463_029)), ("transaction-id", .string("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")),
            ("redownload", .bool(true)), ("fidelity-type", version.hasFidelityType ? .integer(1) : nil),
            ("did-win", version >= .v3_0 ? .bool(true) : nil),
            ("postback-sequence-index", version >= .v4_0 ? .integer(0) : nil),
        ]
        return try standIn.sign(
            PostbackDraft(fields.compactMap { name, value in value.map { JSONField(name: name, value: $0) } }))
    }

    private static let faultRows: [(Fault, ExplanationCause)] = [
        (.repeated, .nothing), (.cutConnection, .nothing), (.slowBody, .nothing), (.movedValue, .movedField),
        (.raisedConversion, .nothing), (.wrongKey, .unexplained), (.versionUp, .versionChanged),
        (.versionDown, .versionChanged), (.letterCase, .letterCase), (.zeroFilled, .zeroFilled),
        (.retypedNumber, .retyped), (.retypedBoolean, .retyped), (.escapedSlashes, .nothing),
        (.padding, .signatureEncoding), (.otherAlphabet, .signatureEncoding), (.byteOrderMark, .notJSON),
        (.duplicateName, .duplicateName), (.separator, .separatorInValue), (.truncated, .notJSON),
        (.development, .nothing),
    ]

    @Test("Every fault has its row; delays change nothing, and changes of one field have a table of their own")
    func complete() {
        #expect(Set(Self.faultRows.map(\.0)) == Set(Fault.allCases).subtracting([.reordered, .delayed, .tampered]))
    }

    @Test("Each fault is explained in every version", arguments: faultRows)
    func faults(_ fault: Fault, _ cause: ExplanationCause) throws {
        var copies = 0
        for version in AttributionVersion.allCases {
            // Signatures differ, and not each has what a fault changes.
            for seed in UInt64(1)...4 {
                var generator = SeededGenerator(seed: seed)
                guard let copy = try fault.copy(of: body(version), stranger: stranger, using: &generator) else {
                    continue
                }
                copies += 1
                let explanation = explainer.explain(copy.body)
                let isRelabelledJWS = version == .adAttributionKit && cause == .versionChanged
                #expect(explanation.cause == (isRelabelledJWS ? .testKey : cause), "\(version.name)")
                #expect((explanation.verdict == .valid) == (cause == .nothing), "\(version.name)")
            }
        }
        #expect(copies > 0)
    }

    /// What the harness says of a change, and how it is explained.
    private static func cause(of tampering: Tampering) -> ExplanationCause {
        switch tampering.change {
        case "in other letter case": .letterCase
        case "filled in with 0": .zeroFilled
        case "with one bit flipped", "all zeros": .unexplained
        default: .valueChanged
        }
    }

    @Test("A change of one field is undone, and the field named", arguments: AttributionVersion.allCases)
    func tampered(_ version: AttributionVersion) throws {
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        try verifier.prepareTables()
        let explainer = PostbackExplainer(verifier: verifier)
        let changes = Tampering.changes(of: try ReceivedPostback(reading: try body(version)))
        #expect(changes.count > 6)
        for change in changes {
            let explanation = explainer.explain(change.body)
            #expect(explanation.cause == Self.cause(of: change), "\(change)")
            #expect(explanation.field == (explanation.cause == .unexplained ? nil : change.field.rawValue), "\(change)")
        }
    }

    @Test("What was wrong beside a signature that nothing mends is not called the cause")
    func unproven() throws {
        let odd: [(String, JSONValue?)] = [
            ("app-id", .string("525463029")), ("source-app-id", .integer(0)), ("source-app-id", .null),
            ("transaction-id", .string("6aafb7a5-0170-41b5-bbe4-fe71dedf1e28 ")), ("redownload", nil),
            ("ad-network-id", .string("EXAMPLE123.SKADNETWORK")), ("version", .string("9.9")),
        ]
        for (name, value) in odd {
            let fields = try JSONObject(reading: body(.v3_0)).fields
            let forged = try stranger.sign(PostbackDraft(fields))
            var changed = try JSONObject(reading: forged).fields
            changed[try #require(PostbackField(rawValue: name))] = value
            let body = Array(JSONText.object(changed.map { ($0.name, $0.value.text) }).line.utf8)
            let explanation = explainer.explain(body)
            #expect(explanation.cause == .unexplained, "\(name)")
            #expect(explanation.verdict != .valid && explanation.provenText == nil)
        }
        #expect(
            explainer.explain(Array("{\"a\":1,\"a\":2,\"attribution-signature\":\"AA==\"}".utf8)).cause == .unexplained)
    }

    @Test("Two mishaps of one pipeline are both undone")
    func pairs() throws {
        var fields = try JSONObject(reading: body(.v3_0)).fields
        fields[.appID] = .string("525463029")
        fields[.sourceAppID] = .integer(0)
        fields[.transactionID] = .string("6aafb7a5-0170-41b5-bbe4-fe71dedf1e28")
        let three = Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8)
        #expect(explainer.explain(three).cause == .unexplained)
        fields[.transactionID] = .string("6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")
        let two = explainer.explain(Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8))
        #expect(two.cause == .zeroFilled && two.field == "source-app-id")
        #expect(two.evidence.contains("source-app-id were absent, and app-id were the number 525463029"))
    }

    @Test("A required field that is gone is put back, and a signature that is gone is said to be")
    func dropped() throws {
        for (field, signed) in [(PostbackField.redownload, "true"), (.didWin, "true"), (.fidelityType, "1")] {
            var fields = try JSONObject(reading: body(.v3_0)).fields
            fields[field] = nil
            let explanation = explainer.explain(
                Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8))
            #expect(explanation.cause == .fieldRemoved && explanation.field == field.rawValue)
            #expect(explanation.evidence.contains(signed))
        }
        let nothing = explainer.explain(Array("{}".utf8))
        #expect(nothing.cause == .fieldRemoved && nothing.field == "attribution-signature")
    }

    /// Names of signatures, and what they may have become on the way.
    private static let signatureNames: [(String, String)] = [
        ("attribution-signature", "Attribution-Signature"), ("attribution-signature", "ATTRIBUTION-SIGNATURE"),
        ("attribution-signature", "attribution_signature"), ("attribution-signature", "attributionSignature"),
        ("jws-string", "Jws-String"), ("jws-string", "jws_string"), ("jws-string", "jwsString"),
    ]

    @Test("A signature under another name is found there, in every version", arguments: signatureNames)
    func renamedSignature(_ name: String, _ other: String) throws {
        for version in AttributionVersion.allCases where (version == .adAttributionKit) == (name == "jws-string") {
            let text = String(decoding: try body(version), as: UTF8.self)
            let renamed = text.replacing("\"\(name)\":", with: "\"\(other)\":")
            #expect(renamed != text)
            let explanation = explainer.explain(Array(renamed.utf8))
            #expect(explanation.cause == .renamedField && explanation.field == name, "\(version.name)")
            #expect(explanation.verdict != .valid && explanation.evidence.contains("would verify"))
        }
    }

    @Test("A postback inside another object is found there", arguments: AttributionVersion.allCases)
    func wrapped(_ version: AttributionVersion) throws {
        let text = String(decoding: try body(version), as: UTF8.self)
        for wrapper in ["{\"postback\":\(text)}", "{\"id\":1,\"postback\":\(text),\"source\":\"proxy\"}"] {
            let explanation = explainer.explain(Array(wrapper.utf8))
            #expect(explanation.cause == .wrapped && explanation.field == "postback", "\(explanation.evidence)")
            #expect(explanation.verdict != .valid)
        }
        // A forged one is no better for being found.
        let forged = explainer.explain(Array("{\"postback\":{\"attribution-signature\":\"AA==\"}}".utf8))
        #expect(forged.cause == .fieldRemoved)
    }

    /// The causes that a production server proves of the published cases; those that are valid have none.
    private static let caseRows: [(String, VerdictWord, ExplanationCause)] = [
        ("aak-production-kid-apple-doc-2024", .invalid, .unexplained),
        ("derived-2.0-relabelled-2.1", .invalid, .versionChanged),
        ("derived-2.0-smuggled-as-1.0", .malformed, .separatorInValue),
        ("derived-2.1-relabelled-2.0", .invalid, .versionChanged),
        ("derived-2.2-fidelity-changed", .invalid, .valueChanged),
        ("derived-3.0-campaign-string", .malformed, .retyped), ("derived-3.0-did-win-flipped", .invalid, .valueChanged),
        ("derived-3.0-redownload-as-1", .malformed, .retyped),
        ("derived-3.0-source-app-id-removed", .invalid, .unexplained),
        ("derived-3.0-zero-source-app-id-injected", .invalid, .zeroFilled),
        ("derived-4.0-high-s-twin", .valid, .nothing), ("derived-4.0-missing-signature", .malformed, .fieldRemoved),
        ("derived-4.0-raw-rs-signature", .invalid, .signatureEncoding),
        ("derived-4.0-relabelled-3.0", .malformed, .versionChanged),
        ("derived-4.0-sequence-index-changed", .invalid, .valueChanged),
        ("derived-4.0-source-identifier-number", .malformed, .retyped),
        ("derived-4.0-trailing-byte-in-der", .invalid, .signatureEncoding),
        ("derived-4.0-transaction-id-upper", .invalid, .letterCase),
        ("derived-4.0-truncated-json", .malformed, .notJSON),
        ("derived-4.0-version-5.0", .unknownVersion, .versionChanged),
        ("derived-aak-alg-none", .malformed, .fieldRemoved),
        ("derived-aak-der-signature", .malformed, .signatureEncoding),
        ("derived-aak-header-reencoded", .invalid, .valueChanged),
        ("derived-aak-kid-swapped-to-production", .invalid, .developmentKey),
        ("derived-aak-no-jws", .malformed, .fieldRemoved),
        ("derived-aak-padded-segments", .malformed, .signatureEncoding),
        ("derived-aak-payload-edited", .invalid, .valueChanged),
        ("derived-aak-two-segments", .malformed, .fieldRemoved),
        ("derived-aak-unknown-kid", .unknownKey, .developmentKey), ("skan-1.0-apple-doc", .invalid, .unexplained),
        ("skan-3.0-winning-apple-doc", .valid, .nothing),
        ("skan-3.0-winning-republished-doctored", .invalid, .valueChanged),
    ]

    @Test("Published postbacks and their faults are explained", arguments: caseRows)
    func published(_ name: String, _ verdict: VerdictWord, _ cause: ExplanationCause) throws {
        let explanation = PostbackExplainer(verifier: try PostbackVerifier()).explain(try SpecCase(name).body)
        #expect(explanation.verdict == verdict && explanation.cause == cause, "\(explanation.evidence)")
        #expect((explanation.advice == nil) == (cause == .nothing))
    }

    @Test("A test key that is not trusted cannot be the cause, but the cure is said")
    func untrusted() throws {
        let explanation = PostbackExplainer(verifier: try PostbackVerifier()).explain(try body(.adAttributionKit))
        #expect(explanation.verdict == .unknownKey && explanation.cause == .unexplained)
        #expect(explanation.advice?.contains("--trust-test-key") == true)
    }

    @Test("Advice on a postback of SKAdNetwork speaks of no kid, and of the key of Developer Mode")
    func developerMode() throws {
        let advice = PostbackExplainer(verifier: try PostbackVerifier()).explain(try body(.v4_0)).advice
        #expect(advice?.contains("Developer Mode") == true && advice?.contains("--apple-keys") == true)
        #expect(advice?.contains("kid") == false)
    }

    @Test("A kid that is unknown does not hide whose key it is")
    func unknownKeyName() throws {
        let draft = AdAttributionKitDraft(
            signed: [JSONField(name: "postback-sequence-index", value: .integer(0))], unproven: [],
            keyID: "elsewhere/1")
        let explanation = explainer.explain(try standIn.sign(draft))
        #expect(explanation.verdict == .unknownKey && explanation.cause == .testKey && explanation.field == "kid")
        #expect(explanation.advice?.contains("sign with the kid that belongs to the key") == true)
    }

    @Test("No body within the limits costs more than the budget")
    func bounded() throws {
        // Fifty milliseconds is the aim on a quiet machine; tests share theirs.
        for costly in try CostlyBody.all() {
            let time = ContinuousClock().measure { _ = explainer.explain(costly.body) }
            #expect(time < .seconds(2), "\(costly)")
        }
    }
}
