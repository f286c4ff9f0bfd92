import Attribution
import AttributionExplaining
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

@Suite("Causes that few verifications prove")
struct CheapCauseTests {
    let standIn: AppleStandIn
    let explainer: PostbackExplainer
    let verifier: PostbackVerifier

    init() throws {
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        try verifier.prepareTables()
        explainer = PostbackExplainer(verifier: verifier)
    }

    private func body(_ version: AttributionVersion) throws -> [UInt8] {
        try PostbackExplainerTests.body(version, by: standIn)
    }

    private func cause(of body: [UInt8]) -> ProvenCause? {
        explainer.cheapCauses(of: [body]).first ?? nil
    }

    /// A body with its fields changed, and its signature as it was.
    private func changed(_ body: [UInt8], _ change: (inout [JSONField]) -> Void) throws -> [UInt8] {
        var fields = try JSONObject(reading: body).fields
        change(&fields)
        return Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8)
    }

    private func isInvalid(_ body: [UInt8]) -> Bool {
        guard case .rejected(.invalidSignature, _) = verifier.judge(body) else {
            return false
        }
        return true
    }

    /// A cause that is found equals that of the whole search.
    private func expect(_ cause: ExplanationCause?, of body: [UInt8], _ comment: String) {
        #expect(isInvalid(body), "\(comment)")
        let (proven, explanation) = (self.cause(of: body), explainer.explain(body))
        #expect(proven?.cause == cause, "\(comment): \(explanation.evidence)")
        if let proven {
            #expect(proven == proven.sameAs(explanation), "\(comment)")
        }
    }

    // MARK: Faults

    /// The faults whose signature does not verify, and the cause; of AdAttributionKit another one, where it differs.
    private static let faults: [(Fault, ExplanationCause?, ExplanationCause?)] = [
        (.letterCase, .letterCase, .letterCase), (.zeroFilled, .zeroFilled, .zeroFilled),
        (.versionUp, .versionChanged, nil), (.versionDown, .versionChanged, .testKey), (.wrongKey, nil, nil),
        (.movedValue, nil, nil),
    ]

    @Test("Of the harness' faults the cheap ones are named, in every version", arguments: AttributionVersion.allCases)
    func faults(_ version: AttributionVersion) throws {
        let stranger = try AppleStandIn()
        var count = 0
        for (fault, cause, causeOfJWS) in Self.faults {
            for seed in UInt64(1)...3 {
                var generator = SeededGenerator(seed: seed)
                let copy = try fault.copy(of: body(version), stranger: stranger, using: &generator)
                guard let copy, copy.expectation == .durable(.quarantined, .invalidSignature) else {
                    continue
                }
                count += 1
                expect(version == .adAttributionKit ? causeOfJWS : cause, of: copy.body, fault.rawValue)
            }
        }
        #expect(count >= 9)
    }

    @Test("Of changed fields those in other letters or filled in are named", arguments: AttributionVersion.allCases)
    func tampered(_ version: AttributionVersion) throws {
        let causes: [String: ExplanationCause] = ["in other letter case": .letterCase, "filled in with 0": .zeroFilled]
        for change in Tampering.changes(of: try ReceivedPostback(reading: try body(version))) {
            if isInvalid(change.body) {
                expect(causes[change.change], of: change.body, "\(change)")
            }
        }
    }

    @Test(
        "A version that is gone is put back", arguments: [AttributionVersion.v2_0, .v2_1, .v2_2, .v3_0])
    func withoutVersion(_ version: AttributionVersion) throws {
        let body = try changed(body(version)) { $0[.version] = nil }
        expect(.fieldRemoved, of: body, version.name)
        #expect(cause(of: body)?.field == "version")
    }

    @Test("A test key that signed as another is recognized, and a signature in another encoding")
    func keysAndEncodings() throws {
        guard case .adAttributionKit(let postback) = try ReceivedPostback(reading: try body(.adAttributionKit)) else {
            Issue.record("not of AdAttributionKit")
            return
        }
        var draft = AdAttributionKitDraft(postback)
        draft.keyID = PostbackKeyID.production.rawValue
        let relabelled = try standIn.sign(draft)
        expect(.testKey, of: relabelled, "test key as Apple's")
        #expect(cause(of: relabelled)?.field == nil)
        let der = try SKAdNetworkPostback(reading: body(.v4_0)).attributionSignature
        let respelled = try changed(body(.v4_0)) { $0[.attributionSignature] = .string(Base64.encode(der + [0])) }
        expect(.signatureEncoding, of: respelled, "a byte after the signature")
        #expect(cause(of: respelled)?.field == "attribution-signature")
    }

    /// Published postbacks with faults, under Apple's own keys.
    private static let published: [(String, ExplanationCause?)] = [
        ("aak-production-kid-apple-doc-2024", nil), ("derived-2.0-relabelled-2.1", .versionChanged),
        ("derived-2.1-relabelled-2.0", .versionChanged), ("derived-2.2-fidelity-changed", nil),
        ("derived-3.0-did-win-flipped", nil), ("derived-3.0-source-app-id-removed", nil),
        ("derived-3.0-zero-source-app-id-injected", .zeroFilled), ("derived-4.0-raw-rs-signature", .signatureEncoding),
        ("derived-4.0-sequence-index-changed", nil), ("derived-4.0-trailing-byte-in-der", .signatureEncoding),
        ("derived-4.0-transaction-id-upper", .letterCase), ("derived-aak-header-reencoded", nil),
        ("derived-aak-kid-swapped-to-production", .developmentKey), ("derived-aak-payload-edited", nil),
        ("skan-1.0-apple-doc", nil),
    ]

    @Test("Of published postbacks with faults the cheap causes are named, also when they come together")
    func published() throws {
        let verifier = try PostbackVerifier()
        try verifier.prepareTables()
        let explainer = PostbackExplainer(verifier: verifier)
        let bodies = try Self.published.map { try SpecCase($0.0).body }
        let causes = explainer.cheapCauses(of: bodies)
        for ((name, cause), (body, proven)) in zip(Self.published, zip(bodies, causes)) {
            #expect(proven?.cause == cause, "\(name)")
            if let proven {
                #expect(proven == proven.sameAs(explainer.explain(body)), "\(name)")
            }
        }
    }

    // MARK: Bounds

    @Test("Longer bodies are not looked at, and neither is what has no signature to verify")
    func bounds() throws {
        let filled = try changed(body(.v3_0)) { $0[.sourceAppID] = .integer(0) }
        func padded(to count: Int) throws -> [UInt8] {
            let empty = try changed(filled) { $0.append(JSONField(name: "padding", value: .string(""))) }
            let padding = String(repeating: "x", count: count - empty.count)
            return try changed(filled) { $0.append(JSONField(name: "padding", value: .string(padding))) }
        }
        let (longest, longer) = (try padded(to: 2_048), try padded(to: 2_049))
        #expect(longest.count == 2_048 && longer.count == 2_049)
        #expect(cause(of: longest)?.cause == .zeroFilled)
        #expect(cause(of: longer) == nil && explainer.explain(longer).cause == .zeroFilled)
        for text in ["", "{}", "[]", "{\"attribution-signature\":\"AA==\"}", "{\"jws-string\":\"a.b.c\"}"] {
            #expect(cause(of: Array(text.utf8)) == nil)
        }
        #expect(explainer.cheapCauses(of: []).isEmpty)
    }

    @Test("It is cheap only with tables")
    func tables() throws {
        #expect(explainer.isCheap)
        #expect(try !PostbackExplainer(verifier: PostbackVerifier()).isCheap)
    }
}

extension ProvenCause {
    /// What an explanation says, if it says the same.
    fileprivate func sameAs(_ explanation: Explanation) -> ProvenCause? {
        explanation.cause == cause && explanation.field == field && explanation.verdict == .invalid ? self : nil
    }
}
