import Attribution
import AttributionExplaining
import AttributionSigning
import StrictJSON
import Testing

@Suite("Whether an impression is signed as Apple requires")
struct ImpressionExplainerTests {
    /// The key of Apple's sample code, which also stands for a key that did not sign.
    private static let sampleKey =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDizl6HEGK3065O0xQrCl6pQehGCBoZStStmY+21UQgF3LmuERbaMDis1vJsEGpS/"
        + "CCZtDzhvmoEvIilmtmvL9w=="

    private static let cases: [(String, VerdictWord, ExplanationCause, String?)] = [
        ("impression-4.0-seconds-timestamp-derived", .invalid, .valueChanged, "timestamp"),
        ("impression-4.0-storekit-rendered-apple-sample", .valid, .nothing, nil),
        ("impression-4.0-uppercase-nonce-derived", .invalid, .letterCase, "nonce"),
        ("impression-4.0-view-through-apple-sample", .valid, .nothing, nil),
        ("impression-4.0-web-apple-doc", .valid, .nothing, nil),
        ("impression-4.0-web-without-fidelity-derived", .invalid, .fieldRemoved, "fidelity-type"),
        ("impression-4.0-wrong-fidelity-derived", .invalid, .valueChanged, "fidelity-type"),
        // Apple does not publish the key of its example.
        ("impression-aak-jws-apple-doc", .invalid, .unexplained, nil),
    ]

    @Test("Apple's impressions and their faults are judged as their files say", arguments: cases)
    func published(_ name: String, _ verdict: VerdictWord, _ cause: ExplanationCause, _ field: String?) throws {
        let file = try SpecCase(name)
        let key = try #require(SignaturePublicKey(base64: file.publicKey ?? Self.sampleKey))
        let explanation = ImpressionExplainer(key: key).explain(file.body, signedText: file.message)
        #expect(explanation.verdict == verdict && explanation.cause == cause, "\(explanation.evidence)")
        #expect(explanation.field == field)
        #expect((file.expect == "valid") == (verdict == .valid))
    }

    // MARK: Own signatures

    private static let nonce = "68483ef6-0678-40df-859b-1b8f3f2d7b21"
    private static let rows: [SKAdNetworkVersion] = SKAdNetworkVersion.allCases

    /// The values of a version in its order, as Apple documents it; written out, so as not to repeat the code.
    private static func values(_ version: SKAdNetworkVersion) -> [(String, JSONValue)] {
        let campaign: (String, JSONValue) =
            version == .v4_0 ? ("source-identifier", .integer(5239)) : ("campaign-id", .integer(42))
        let common: [(String, JSONValue)] = [
            ("ad-network-id", .string("example123.skadnetwork")), campaign, ("itunes-item-id", .integer(525_463_029)),
            ("nonce", .string(nonce)),
        ]
        let source: [(String, JSONValue)] = [("source-app-id", .integer(1_234_567_891))]
        let time: [(String, JSONValue)] = [("timestamp", .integer(1_676_057_605_705))]
        return switch version {
        case .v1_0: common + time
        case .v2_0, .v2_1: [("version", .string(version.rawValue))] + common + source + time
        case .v2_2, .v3_0, .v4_0:
            [("version", .string(version.rawValue))] + common + source + [("fidelity-type", .integer(1))] + time
        }
    }

    private static func text(_ values: [(String, JSONValue)], separator: String = "\u{2063}") -> [UInt8] {
        Array(
            values.map { _, value in
                switch value {
                case .string(let text): text
                case .integer(let number): String(number)
                default: ""
                }
            }.joined(separator: separator).utf8)
    }

    /// The impression with the signature of a key over a text.
    private static func impression(
        _ values: [(String, JSONValue)], signedBy key: NetworkPrivateKey, over text: [UInt8]
    ) throws -> [UInt8] {
        let signature: (String, JSONValue) = (
            "attribution-signature", .string(Base64.encode(try key.signature(over: text)))
        )
        return Array(JSONText.object((values + [signature]).map { ($0.0, $0.1.text) }).line.utf8)
    }

    private func replacing(_ name: String, _ value: JSONValue, in values: [(String, JSONValue)]) -> [(
        String, JSONValue
    )] {
        values.map { $0.0 == name ? (name, value) : $0 }
    }

    @Test("A right one of every version is valid, and under another key it is not", arguments: rows)
    func valid(_ version: SKAdNetworkVersion) throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let values = Self.values(version)
        let body = try Self.impression(values, signedBy: key, over: Self.text(values))
        #expect(ImpressionExplainer(key: try key.publicKey()).explain(body).verdict == .valid)
        let sample = try #require(SignaturePublicKey(base64: Self.sampleKey))
        let other = ImpressionExplainer(key: sample, otherKeys: [try key.publicKey()]).explain(body)
        #expect(other.verdict == .invalid && other.cause == .wrongKey)
        let unknown = ImpressionExplainer(key: sample).explain(body)
        #expect(unknown.verdict == .invalid && unknown.cause == .unexplained)
    }

    @Test("A text that was built wrongly is recognized in every version", arguments: rows)
    func built(_ version: SKAdNetworkVersion) throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        let values = Self.values(version)
        func expect(_ cause: ExplanationCause, _ field: String?, over text: [UInt8]) throws {
            let explanation = explainer.explain(try Self.impression(values, signedBy: key, over: text))
            #expect(explanation.verdict == .invalid && explanation.cause == cause, "\(explanation.evidence)")
            #expect(explanation.field == field, "\(explanation.evidence)")
        }
        try expect(
            .letterCase, "nonce", over: Self.text(replacing("nonce", .string(Self.nonce.uppercased()), in: values)))
        try expect(
            .valueChanged, "timestamp", over: Self.text(replacing("timestamp", .integer(1_676_057_605), in: values)))
        try expect(.separatorInValue, nil, over: Self.text(values, separator: "|"))
        try expect(.separatorInValue, nil, over: Self.text(values, separator: ""))
        var swapped = values
        swapped.swapAt(values.count - 3, values.count - 2)
        try expect(.movedField, values[values.count - 3].0, over: Self.text(swapped))
        if version > .v1_0 {
            try expect(.versionChanged, "version", over: Self.text(Array(values.dropFirst())))
        }
        if version.hasFidelityType {
            try expect(.fieldRemoved, "fidelity-type", over: Self.text(values.filter { $0.0 != "fidelity-type" }))
            try expect(
                .valueChanged, "fidelity-type", over: Self.text(replacing("fidelity-type", .integer(0), in: values)))
        }
        try expect(.unexplained, nil, over: Array("something else".utf8))
    }

    @Test("Values that were exchanged on the way are recognized, and a version that does not exist", arguments: rows)
    func carried(_ version: SKAdNetworkVersion) throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        let values = Self.values(version)
        let text = Self.text(values)
        func expect(_ cause: ExplanationCause, _ field: String, _ carried: [(String, JSONValue)]) throws {
            let explanation = explainer.explain(try Self.impression(carried, signedBy: key, over: text))
            #expect(explanation.verdict == .invalid && explanation.cause == cause, "\(explanation.evidence)")
            // A signer that took one value for the other made the same of them.
            let advice = cause == .movedField ? "compare the values that were signed" : "the signer is right"
            #expect(explanation.field == field && explanation.advice?.contains(advice) == true)
        }
        func exchanged(_ one: String, _ other: String) -> [(String, JSONValue)] {
            let byName = Dictionary(uniqueKeysWithValues: values)
            return values.map { name, value in (name, byName[[one: other, other: one][name] ?? name] ?? value) }
        }
        try expect(.movedField, "ad-network-id", exchanged("ad-network-id", "nonce"))
        try expect(
            .movedField, values[version > .v1_0 ? 2 : 1].0,
            exchanged(values[version > .v1_0 ? 2 : 1].0, "itunes-item-id"))
        if version > .v1_0 {
            try expect(.movedField, "itunes-item-id", exchanged("itunes-item-id", "source-app-id"))
            try expect(.versionChanged, "version", replacing("version", .string("9.0"), in: values))
        }
    }

    @Test(
        "What is neither JSON nor a compact JWS is said to be neither",
        arguments: ["xx", "\"", "[]", "5", #"[{"ad-network-id": "a.b"}]"#, #""a b.c.d""#])
    func neither(_ text: String) throws {
        let explanation = ImpressionExplainer(key: try NetworkPrivateKey.generate(.p256).publicKey())
            .explain(Array(text.utf8))
        #expect(explanation.verdict == .malformed && explanation.cause == .notJSON)
    }

    @Test("A network id in capital letters is valid, with a word about Info.plist")
    func capitalLetters() throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        for (network, isRemarked) in [("example123.skadnetwork", false), ("Example123.skadnetwork", true)] {
            let values = replacing("ad-network-id", .string(network), in: Self.values(.v4_0))
            let explanation = explainer.explain(try Self.impression(values, signedBy: key, over: Self.text(values)))
            #expect(explanation.verdict == .valid)
            #expect(explanation.advice?.contains("Info.plist") ?? false == isRemarked)
        }
    }

    @Test("A timestamp that was multiplied on the way is not the signer's fault", arguments: [Int64(0), 123])
    func microseconds(_ more: Int64) throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let values = Self.values(.v4_0)
        let carried = replacing("timestamp", .integer(1_676_057_605_705_000 + more), in: values)
        let explanation = ImpressionExplainer(key: try key.publicKey()).explain(
            try Self.impression(carried, signedBy: key, over: Self.text(values)))
        #expect(explanation.verdict == .invalid && explanation.cause == .valueChanged)
        #expect(explanation.evidence.hasPrefix("the timestamp is in microseconds"), "\(explanation.evidence)")
        #expect(explanation.advice?.contains("the signer is right") == true)
    }

    @Test("A value that Apple refuses is named though its signature verifies")
    func refused() throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        let rows: [(String, JSONValue, ExplanationCause)] = [
            ("nonce", .string(Self.nonce.uppercased()), .letterCase),
            ("timestamp", .integer(1_676_057_605), .valueChanged),
            ("source-identifier", .integer(10_000), .valueChanged),
            ("fidelity-type", .integer(2), .valueChanged), ("itunes-item-id", .string("525463029"), .retyped),
        ]
        for (name, value, cause) in rows {
            let values = replacing(name, value, in: Self.values(.v4_0))
            let explanation = explainer.explain(try Self.impression(values, signedBy: key, over: Self.text(values)))
            #expect(explanation.verdict == .invalid && explanation.cause == cause && explanation.field == name)
        }
    }

    /// Second names of fields that the impression of 4.0 has, with their values and others.
    private static let secondNames: [(String, same: JSONValue, other: JSONValue)] = [
        ("sourceIdentifier", .integer(5239), .integer(39)),
        ("adNetworkIdentifier", .string("example123.skadnetwork"), .string("other.skadnetwork")),
        ("SKStoreProductParameterAdNetworkNonce", .string(nonce), .string(nonce.replacing("6", with: "7"))),
        ("advertisedAppStoreItemIdentifier", .integer(525_463_029), .integer(525_463_028)),
        ("SKStoreProductParameterAdNetworkTimestamp", .integer(1_676_057_605_705), .string("1676057605705")),
    ]

    @Test("A field under two names may not have two values", arguments: secondNames)
    func contradiction(_ name: String, _ same: JSONValue, _ other: JSONValue) throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        let values = Self.values(.v4_0)
        let twice = try Self.impression(values + [(name, same)], signedBy: key, over: Self.text(values))
        #expect(explainer.explain(twice).verdict == .valid)
        let body = try Self.impression(values + [(name, other)], signedBy: key, over: Self.text(values))
        let explanation = explainer.explain(body)
        #expect(explanation.verdict == .invalid && explanation.cause == .duplicateName, "\(explanation.evidence)")
        #expect(explanation.field == name)
        let first = try Self.impression([(name, other)] + values, signedBy: key, over: Self.text(values))
        #expect(explainer.explain(first).cause == .duplicateName)
    }

    @Test("The texts that a signer and Apple build are compared value by value")
    func compared() throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        let values = Self.values(.v4_0)
        let body = try Self.impression(values, signedBy: key, over: Self.text(values))
        #expect(explainer.explain(body, signedText: Self.text(values)).verdict == .valid)
        let without = explainer.explain(body, signedText: Self.text(values.filter { $0.0 != "source-app-id" }))
        #expect(without.cause == .fieldRemoved && without.field == "source-app-id")
        let reversed = explainer.explain(body, signedText: Self.text(values.reversed()))
        #expect(reversed.cause == .movedField)
    }

    @Test("A key on P-192 signs no version after 2.0")
    func curve() throws {
        let key = try NetworkPrivateKey.generate(.p192)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        for version in SKAdNetworkVersion.allCases {
            let values = Self.values(version)
            let explanation = explainer.explain(try Self.impression(values, signedBy: key, over: Self.text(values)))
            #expect(explanation.cause == (version <= .v2_0 ? .nothing : .wrongKey), "\(version.rawValue)")
        }
    }

    // MARK: AdAttributionKit

    private func jws(_ payload: [(String, JSONText)], _ key: NetworkPrivateKey, header: String = "") throws -> String {
        try jws(JSONText.object(payload).line, key, header: header)
    }

    /// A JWS with any payload, and with more members in its header.
    private func jws(_ payload: String, _ key: NetworkPrivateKey, header: String = "") throws -> String {
        let header = #"{"alg":"ES256","kid":"example123.adattributionkit"\#(header)}"#
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        return text + "." + Base64URL.encode(try key.jwsSignature(for: Array(text.utf8)))
    }

    private func payload(timestamp: Int64 = 1_719_599_957_239, source: JSONText = .integer(5239)) -> [(
        String, JSONText
    )] {
        [
            ("impression-identifier", .string("544B8FAD-0AD5-4434-98B2-327113AF84DB")),
            ("publisher-item-identifier", .integer(0)), ("impression-type", .string("app-impression")),
            ("ad-network-identifier", .string("example123.adattributionkit")), ("source-identifier", source),
            ("timestamp", .integer(timestamp)), ("advertised-item-identifier", .integer(1_108_187_390)),
        ]
    }

    @Test("A compact JWS is judged by its signature and by its values")
    func compactJWS() throws {
        let key = try NetworkPrivateKey.generate(.p256)
        let explainer = ImpressionExplainer(key: try key.publicKey())
        let good = try jws(payload(), key)
        for spelling in [good, good + "\n", "\"\(good)\"", "{\"compact-jws\":\"\(good)\"}"] {
            #expect(explainer.explain(Array(spelling.utf8)).verdict == .valid)
        }
        let eligible = try jws(payload() + [("eligible-for-re-engagement", .bool(true))], key)
        #expect(explainer.explain(Array(eligible.utf8)).verdict == .valid)
        let rows: [(String, ExplanationCause, String?)] = [
            (try jws(payload(timestamp: 1_719_599_957), key), .valueChanged, "timestamp"),
            (try jws(payload(source: .string("5239")), key), .retyped, "source-identifier"),
            (try jws(payload().filter { $0.0 != "source-identifier" }, key), .fieldRemoved, "source-identifier"),
            (
                try jws(payload() + [("eligible-for-re-engagement", .string("true"))], key), .retyped,
                "eligible-for-re-engagement"
            ),
            (try jws(payload(), key, header: #","crit":["b64"]"#), .fieldAdded, "crit"),
            (try jws(payload(), key, header: #","jwk":{}"#), .fieldAdded, "jwk"),
            (try jws(payload(), key, header: #","kid":"x""#), .duplicateName, "kid"),
            (try jws(payload() + [("timestamp", .integer(1))], key), .duplicateName, "timestamp"),
            (try jws("[1]", key), .notJSON, "payload"),
            (good + "==", .signatureEncoding, "compact-jws"), ("a.b", .notJSON, nil),
        ]
        for (text, cause, field) in rows.dropLast() {
            let explanation = explainer.explain(Array(text.utf8))
            #expect(explanation.cause == cause && explanation.field == field, "\(explanation.evidence)")
            #expect(explanation.verdict == .invalid)
        }
        #expect(explainer.explain(Array("a.b".utf8)).verdict == .malformed)
        #expect(explainer.explain(Array("{".utf8)).cause == .notJSON)
    }
}
