import Attribution
import AttributionExplaining
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

@Suite("Forms in which people have genuine postbacks")
struct FormTests {
    let standIn: AppleStandIn
    let verifier: PostbackVerifier
    let explainer: PostbackExplainer

    init() throws {
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        try verifier.prepareTables()
        explainer = PostbackExplainer(verifier: verifier)
    }

    private func fields(_ version: AttributionVersion) throws -> [JSONField] {
        try JSONObject(reading: PostbackExplainerTests.body(version, by: standIn)).fields
    }

    @Test("Every form of every version is proven, and none is called unsigned", arguments: AttributionVersion.allCases)
    func proven(_ version: AttributionVersion) throws {
        let fields = try fields(version)
        for names in FormGenerator.Names.allCases {
            for envelope in FormGenerator.Envelope.allCases {
                for values in FormGenerator.Values.allCases {
                    let body = FormGenerator.body(fields, names, envelope, values)
                    let explanation = explainer.explain(body)
                    let form = "\(names), \(envelope), \(values): \(explanation.evidence)"
                    #expect(explanation.verdict == .valid || explanation.provenText != nil, "\(form)")
                    #expect(!explanation.evidence.contains("no signature"), "\(form)")
                    guard explanation.verdict != .valid else {
                        continue
                    }
                    if envelope != .none {
                        #expect(explanation.cause == .wrapped, "\(form)")
                        #expect(envelope.path == nil || explanation.field == envelope.path, "\(form)")
                    } else if values == .apples {
                        #expect(explanation.cause == .renamedField, "\(form)")
                    }
                }
            }
        }
    }

    @Test("The answer to a delivery says what it is wrapped in", arguments: AttributionVersion.allCases)
    func answered(_ version: AttributionVersion) throws {
        let fields = try fields(version)
        for envelope in FormGenerator.Envelope.allCases {
            let body = FormGenerator.body(fields, .prefixed, envelope, .apples)
            guard PostbackExplainer.mayBeWrapped(body), let path = envelope.path else {
                continue
            }
            let cause = explainer.cheapCauses(of: [body])[0]
            #expect(cause?.cause == .wrapped && cause?.field == path, "\(envelope)")
            #expect(explainer.explain(body).cause == .wrapped, "\(envelope)")
        }
    }

    @Test("The answer to a delivery whose values name their types says so")
    func boxedAnswer() throws {
        let fields = try fields(.v4_0)
        for values in [FormGenerator.Values.boxed, .numbersBoxed, .unions] {
            let body = FormGenerator.body(fields, .apples, .none, values)
            #expect(PostbackExplainer.mayBeWrapped(body), "\(values)")
            #expect(explainer.cheapCauses(of: [body])[0]?.cause == .wrapped, "\(values)")
            #expect(explainer.explain(body).cause == .wrapped, "\(values)")
        }
    }

    /// Forms that are not read, with the path to the postback where it can be told.
    private static func unread(_ fields: [JSONField]) -> [(body: String, place: String)] {
        func quoted(_ text: String) -> String { JSONText.string(text).line }
        let body = String(decoding: fields.body, as: UTF8.self)
        let python = body.replacing("\"", with: "'").replacing(":true", with: ": True")
        let suffixed = String(
            decoding: fields.map { JSONField(name: $0.name + "_x", value: $0.value) }.body, as: UTF8.self)
        let escaped = body.replacing("\"", with: "%22").replacing("{", with: "%7B").replacing("+", with: "%2B")
        return [
            (suffixed, fields[.jwsString] == nil ? "attribution-signature_x" : "jws-string_x"),
            (#"{"body":\#(quoted(python))}"#, "body"),
            (#"{"log":\#(quoted("INFO body=" + body))}"#, "log"),
            (#"{"events":[1,{"text":\#(quoted(body + "\n" + body))}]}"#, "events[1].text"),
            (#"{"a":{"b":[{"c":{"d":{"e":\#(quoted(body))}}}]}}"#, "a.b[0].c.d.e"),
            (#"{"data":"\#(Base64.encode(Base64.encode(body.utf8).utf8))"}"#, "data"),
            (#"{"data":"data:application/json;base64,\#(Base64.encode(body.utf8))"}"#, "data"),
            (#"{"logs":{"data":"\#(Base64.encode([0x1F, 0x8B, 8] + Array(body.utf8)))"}}"#, "logs.data"),
            (#"{"form":"payload=\#(escaped)"}"#, "form"),
        ]
    }

    @Test("What may be a signature, in a form that is not read, is never called absent", arguments: [0, 1])
    func traces(_ index: Int) throws {
        let fields = try fields([AttributionVersion.allCases[0], AttributionVersion.allCases.last ?? .v4_0][index])
        for (body, place) in Self.unread(fields) {
            let explanation = explainer.explain(Array(body.utf8))
            let isNamed = explanation.evidence.contains("what may be the signature is at \(place)")
            #expect(!explanation.evidence.contains("no signature"), "\(body): \(explanation.evidence)")
            #expect(isNamed || explanation.provenText != nil, "\(body): \(explanation.evidence)")
        }
    }

    @Test("A JWS in three members, or behind a word, is not called absent")
    func partedJWS() throws {
        let fields = try fields(AttributionVersion.allCases.last ?? .v4_0)
        guard case .string(let jws)? = fields[.jwsString] else {
            return
        }
        let parts = jws.split(separator: ".")
        for body in [
            #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#,
            #"{"jws":"Bearer \#(jws)"}"#,
        ] {
            let explanation = explainer.explain(Array(body.utf8))
            #expect(explanation.evidence.contains("what may be the signature is at"), "\(explanation.evidence)")
            #expect(explanation.field == "jws-string" && !explanation.evidence.contains("ad-network-id"))
        }
    }

    @Test("A JWS under another name is described by AdAttributionKit's fields")
    func misnamedJWS() throws {
        let body = #"{"token":"\#("eyJhbGciOiJFUzI1NiJ9.e30.c2ln")","conversion-value":24}"#
        guard case .rejected(let rejection, _) = verifier.judge(Array(body.utf8)) else {
            Issue.record("it verifies")
            return
        }
        #expect(rejection.description.contains("jws-string: found nothing"))
        #expect(!rejection.description.contains("ad-network-id"), "\(rejection)")
    }

    @Test("Nobody is told that import reads what it keeps in quarantine, or that none of no repairs verifies")
    func advice() throws {
        let fields = try fields(.v3_0)
        for (values, isRead) in [(FormGenerator.Values.apples, true), (.floats, false)] {
            let explanation = explainer.explain(FormGenerator.body(fields, .prefixed, .index, values))
            #expect(explanation.advice?.contains("skan import reads it as it is") == isRead, "\(values)")
        }
        let explanation = explainer.explain(Array(#"{"attribution-signature":"AAAA","version":"3.0"}"#.utf8))
        #expect(!explanation.evidence.contains("none of 0"), "\(explanation.evidence)")
    }

    @Test("What is forged is not genuine in any form, and not called unsigned")
    func forged() throws {
        let stranger = try AppleStandIn()
        let fields = try JSONObject(reading: PostbackExplainerTests.body(.v4_0, by: stranger)).fields
        for names in FormGenerator.Names.allCases {
            for envelope in FormGenerator.Envelope.allCases {
                let explanation = explainer.explain(FormGenerator.body(fields, names, envelope, .apples))
                let form = "\(names), \(envelope): \(explanation.evidence)"
                #expect(explanation.cause == .unexplained && explanation.provenText == nil, "\(form)")
                #expect(!explanation.evidence.contains("no signature"), "\(form)")
            }
        }
    }

    @Test("What Python wrote is named, also with other names")
    func python() throws {
        for names in [FormGenerator.Names.apples, .prefixed] {
            let text = String(decoding: FormGenerator.body(try fields(.v3_0), names, .none, .apples), as: UTF8.self)
            let python = text.replacing("true", with: "True").replacing("\"", with: "'")
            let explanation = explainer.explain(Array(python.utf8))
            #expect(explanation.cause == .notJSON && explanation.provenText != nil, "\(explanation.evidence)")
            #expect(explanation.advice?.contains("json.dumps()") == true)
        }
    }

    @Test("A decoded payload of AdAttributionKit is described by its own fields")
    func decoded() throws {
        let payload =
            #"{"postback-identifier":"85546EB7-FD39-44BC-8990-C98A4AC36A49","impression-type":"app-impression"}"#
        let explanation = explainer.explain(Array(payload.utf8))
        #expect(explanation.cause == .fieldRemoved && explanation.field == "jws-string")
        #expect(!explanation.evidence.contains("ad-network-id:") && explanation.evidence.contains("decoded"))
    }

    @Test("Whatever is changed in a form, nothing unverified is called genuine")
    func fuzzed() throws {
        var random = SeededGenerator(seed: 42)
        let pieces = ["{", "}", "[", "\"", "\\", ":", ",", "a", "0", "=", ".", "_", "true", "e30="].map {
            Array($0.utf8)
        }
        for version in AttributionVersion.allCases {
            let fields = try fields(version)
            for round in 0..<150 {
                let names = FormGenerator.Names.allCases[round % FormGenerator.Names.allCases.count]
                let envelope = FormGenerator.Envelope.allCases[round % FormGenerator.Envelope.allCases.count]
                var body = FormGenerator.body(fields, names, envelope, .apples)
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    let start = Int.random(in: 0...body.count, using: &random)
                    let end = min(body.count, start + Int.random(in: 0...3, using: &random))
                    body.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
                }
                let explanation = explainer.explain(body)
                let isGenuine = if case .verified = verifier.judge(body) { true } else { false }
                #expect((explanation.verdict == .valid) == isGenuine)
                #expect((explanation.cause == .nothing) == isGenuine)
            }
        }
    }

    @Test("Nothing around or under the names of a postback costs more than the budget")
    func bounded() throws {
        let deep = String(repeating: #"{"a":"#, count: 31) + "1" + String(repeating: "}", count: 31)
        let texts = [
            "[" + Array(repeating: deep, count: 90).joined(separator: ",") + "]",
            "{" + (0..<120).map { "\"signature\($0)_jws_transaction_id\":\"M\($0)\"" }.joined(separator: ",") + "}",
            String(repeating: "[", count: 8_000),
            Base64.encode(Array(String(repeating: "{\"a\":[", count: 1_500).utf8)),
            #"{"a":"\#(String(repeating: "eyJ.eyJMEUCI", count: 1_300))"}"#,
            #"{"a":[\#(String(repeating: "[", count: 14_000))"#,
        ]
        for text in texts {
            let time = ContinuousClock().measure { _ = explainer.explain(Array(text.utf8)) }
            #expect(time < .seconds(2))
        }
    }
}
