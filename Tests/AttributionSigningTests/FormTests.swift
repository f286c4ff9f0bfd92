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
                    #expect(!explanation.evidence.contains("there is no signature"), "\(form)")
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

    @Test("What is forged is not genuine in any form, and not called unsigned")
    func forged() throws {
        let stranger = try AppleStandIn()
        let fields = try JSONObject(reading: PostbackExplainerTests.body(.v4_0, by: stranger)).fields
        for names in FormGenerator.Names.allCases {
            for envelope in FormGenerator.Envelope.allCases {
                let explanation = explainer.explain(FormGenerator.body(fields, names, envelope, .apples))
                let form = "\(names), \(envelope): \(explanation.evidence)"
                #expect(explanation.cause == .unexplained && explanation.provenText == nil, "\(form)")
                #expect(!explanation.evidence.contains("there is no signature"), "\(form)")
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
        ]
        for text in texts {
            let time = ContinuousClock().measure { _ = explainer.explain(Array(text.utf8)) }
            #expect(time < .seconds(2))
        }
    }
}
