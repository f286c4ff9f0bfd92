import Attribution
import AttributionExplaining
import AttributionSigning
import StrictJSON
import Testing

@Suite("Impressions in the forms and with the mistakes that people have")
struct ImpressionFormTests {
    private static let nonce = "68483ef6-0678-40df-859b-1b8f3f2d7b21"
    private static let values = [
        "4.0", "example123.skadnetwork", "5239", "525463029", nonce, "1234567891", "1", "1676057605705",
    ]
    private static let text = values.joined(separator: "\u{2063}")

    private let key: NetworkPrivateKey
    private let explainer: ImpressionExplainer

    init() throws {
        key = try NetworkPrivateKey.generate(.p256)
        explainer = ImpressionExplainer(key: try key.publicKey())
    }

    private func signature(_ text: String) throws -> String {
        Base64.encode(try key.signature(over: Array(text.utf8)))
    }

    /// The impression under Apple's names, with some members replaced.
    private func body(_ signature: String, _ others: [String: JSONText] = [:]) -> [UInt8] {
        let members: [(String, JSONText)] = [
            ("version", .string("4.0")), ("ad-network-id", .string("example123.skadnetwork")),
            ("source-identifier", .integer(5239)), ("itunes-item-id", .integer(525_463_029)),
            ("nonce", .string(Self.nonce)), ("source-app-id", .integer(1_234_567_891)),
            ("fidelity-type", .integer(1)), ("timestamp", .integer(1_676_057_605_705)),
            ("attribution-signature", .string(signature)),
        ]
        return Array(JSONText.object(members.map { ($0.0, others[$0.0] ?? $0.1) }).line.utf8)
    }

    // MARK: Forms

    @Test("StoreKit's dictionary is read by its keys")
    func storeKitKeys() throws {
        let body = """
            {"id":525463029,"adNetworkPayloadVersion":"4.0","adNetworkId":"example123.skadnetwork",\
            "adNetworkSourceIdentifier":5239,"adNetworkNonce":"\(Self.nonce)",\
            "adNetworkSourceAppStoreIdentifier":1234567891,"adNetworkImpressionTimestamp":1676057605705,\
            "adNetworkAttributionSignature":"\(try signature(Self.text))"}
            """
        let explanation = explainer.explain(Array(body.utf8))
        #expect(explanation.verdict == .valid, "\(explanation)")
    }

    /// A bid extension with both fidelities, of which the second is over this text.
    private func bidExtension(_ text: String) throws -> String {
        let viewThrough = (Self.values.prefix(6) + ["0", Self.values[7]]).joined(separator: "\u{2063}")
        return """
            {"skadn":{"version":"4.0","network":"example123.skadnetwork","sourceidentifier":"5239",\
            "itunesitem":"525463029","sourceapp":"1234567891","fidelities":[\
            {"fidelity":0,"nonce":"\(Self.nonce)","timestamp":"1676057605705",\
            "signature":"\(try signature(viewThrough))"},\
            {"fidelity":1,"nonce":"\(Self.nonce)","timestamp":"1676057605705",\
            "signature":"\(try signature(text))"}]}}
            """
    }

    @Test("Each impression of a bid response is found, wherever it is", arguments: [true, false])
    func bids(_ isRight: Bool) throws {
        let ext = try bidExtension(isRight ? Self.text : Self.text + "\n")
        let rows = [
            (ext, "skadn.fidelities[1]"),
            (
                #"{"id":"1","seatbid":[{"bid":[{"id":"2","impid":"1","price":1.5,"ext":\#(ext)}]}]}"#,
                "seatbid[0].bid[0].ext.skadn.fidelities[1]"
            ),
            (#"[{"status":"signed","ext":\#(ext)}]"#, "[0].ext.skadn.fidelities[1]"),
            (JSONText.object([("body", .string(ext))]).line, "body.skadn.fidelities[1]"),
        ]
        for (text, path) in rows {
            let all = explainer.explainAll(Array(text.utf8))
            #expect(all.count == 2 && all.last?.path == path && all.first?.explanation.verdict == .valid, "\(all)")
            let explanation = explainer.explain(Array(text.utf8))
            #expect(explanation.verdict == (isRight ? .valid : .invalid), "\(explanation)")
            #expect(isRight || explanation.evidence.hasPrefix(path + ": a line break was signed"))
        }
    }

    /// An ad shown by an app's own code, with these values.
    private func swiftCode(_ nonce: String, _ signature: String) -> [UInt8] {
        Array(
            """
            // impression.version = "3.0"
            let impression = SKAdImpression()
            impression.version = "4.0"
            impression.adNetworkIdentifier = "example123.skadnetwork"
            impression.sourceIdentifier = NSNumber(value: 5_239)
            impression.advertisedAppStoreItemIdentifier = 525463029 as NSNumber
            impression.sourceAppStoreItemIdentifier = NSNumber(1234567891)
            impression.adImpressionIdentifier = \(nonce)
            impression.timestamp = 1676057605705
            impression.signature = "\(signature)"
            """.utf8)
    }

    @Test("Swift code is read as the ad that it shows")
    func swiftCode() throws {
        let viewThrough = (Self.values.prefix(6) + ["0", Self.values[7]]).joined(separator: "\u{2063}")
        let signature = try signature(viewThrough)
        for nonce in ["\"\(Self.nonce)\"", "UUID(uuidString: \"\(Self.nonce)\")!.uuidString"] {
            let explanation = explainer.explain(swiftCode(nonce, signature))
            #expect(explanation.verdict == .valid, "\(explanation)")
        }
        let other = explainer.explain(swiftCode("\"\(Self.nonce.replacing("6", with: "7"))\"", signature))
        #expect(other.verdict == .invalid)
        for text in ["let answer = 42", "import StoreKit", "// impression.signature = \"AA==\"", "\"", "a: \"\\"] {
            #expect(explainer.explain(Array(text.utf8)).cause == .notJSON)
        }
    }

    // MARK: Texts

    private static let texts: [(String, ExplanationCause, String?)] = [
        (text + "\n", .separatorInValue, nil), (text + "\r\n", .separatorInValue, nil),
        (values.joined(separator: "?"), .separatorInValue, nil),
        (values.joined(separator: "&#8291;"), .separatorInValue, nil),
        (values.joined(separator: "\\u2063"), .separatorInValue, nil),
        (values.joined(separator: "\u{E2}\u{81}\u{A3}"), .separatorInValue, nil),
        (text.replacing("4.0", with: "4"), .versionChanged, "version"),
        (text.replacing(nonce, with: nonce.replacing("-", with: "")), .valueChanged, "nonce"),
        (text.replacing(nonce, with: nonce.uppercased()), .letterCase, "nonce"),
        (text.replacing("525463029", with: "525463029.0"), .retyped, "itunes-item-id"),
        (
            text.replacing("4.0", with: "4").replacing(nonce, with: nonce.uppercased()), .versionChanged,
            "version, nonce"
        ),
        (text.replacing(nonce, with: nonce.uppercased()).replacing("\u{2063}", with: "|"), .letterCase, "nonce"),
    ]

    @Test("A text that was built nearly right is proven", arguments: texts)
    func nearMisses(_ text: String, _ cause: ExplanationCause, _ field: String?) throws {
        let explanation = explainer.explain(body(try signature(text)))
        #expect(explanation.verdict == .invalid && explanation.cause == cause, "\(explanation)")
        #expect(explanation.field == field && explanation.provenText != nil, "\(explanation)")
    }

    @Test("A signature that was encoded otherwise is proven, and so is the text under it")
    func encodings() throws {
        let once = try signature(Self.text)
        let hex = Array(try key.signature(over: Array(Self.text.utf8)).map(Self.hex).joined().utf8)
        for spelling in [Base64.encode(once.utf8), Base64.encode(hex), String(decoding: hex, as: UTF8.self)] {
            let explanation = explainer.explain(body(spelling))
            #expect(explanation.verdict == .invalid && explanation.cause == .signatureEncoding, "\(explanation)")
        }
        let both = explainer.explain(body(Base64.encode(try signature(Self.text + "\n").utf8)))
        #expect(both.cause == .separatorInValue && both.field == "attribution-signature", "\(both)")
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    // MARK: Values

    @Test("Every value that Apple refuses is named, not the first alone")
    func wrongFields() throws {
        let others: [String: JSONText] = [
            "source-identifier": .integer(10_000), "nonce": .string(Self.nonce.uppercased()),
            "timestamp": .integer(1_676_057_605),
        ]
        let text = Self.text.replacing("5239", with: "10000").replacing(Self.nonce, with: Self.nonce.uppercased())
            .replacing("1676057605705", with: "1676057605")
        let signed = explainer.explain(body(try signature(text), others))
        let forged = explainer.explain(body(try signature("something else"), others))
        for explanation in [signed, forged] {
            #expect(explanation.verdict == .invalid, "\(explanation)")
            let fields = Set((explanation.field ?? "").split(separator: ", ").map { String($0) })
            #expect(fields == ["source-identifier", "nonce", "timestamp"], "\(explanation)")
        }
        #expect(explainer.explain(body(try signature(Self.text), ["version": .string("4")])).field == "version")
    }
}
