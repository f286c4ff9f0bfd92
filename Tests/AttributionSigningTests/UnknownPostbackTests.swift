import Attribution
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

@Suite("Signed values that no version knows")
struct UnknownPostbackTests {
    private let keys: [NetworkPrivateKey]
    private let standIn: AppleStandIn
    private let verifier: PostbackVerifier

    init() throws {
        keys = [try .generate(.p192), try .generate(.p256)]
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: keys.map { try $0.publicKey() } + standIn.publicKeys())
    }

    /// A value as JSON that is written as it is, in a string so that drafts can hold it.
    private static func raw(_ json: String) -> JSONValue {
        .string("#\(json)#")
    }

    private static func json(_ fields: [JSONField]) -> [UInt8] {
        Array(
            String(decoding: fields.body, as: UTF8.self).replacing("\"#", with: "").replacing("#\"", with: "").utf8)
    }

    /// The fields with the signature of the version's text, put together as the page says: values, joined by U+2063.
    private func signed(_ fields: [JSONField], as version: SKAdNetworkVersion) throws -> [UInt8] {
        let parts = PostbackField.signed(in: version).compactMap { field -> String? in
            switch fields[field] {
            case .string(let text)? where text.hasPrefix("#"): String(text.dropFirst().dropLast())
            case .string(let text)?: text
            case .integer(let number)?: String(number)
            case .bool(let flag)?: flag ? "true" : "false"
            default: nil
            }
        }
        let key = try #require(keys.first { $0.curve == version.postbackCurve })
        let text = Array(parts.joined(separator: "\u{2063}").utf8)
        return Self.json(
            fields + [
                JSONField(
                    name: PostbackField.attributionSignature.rawValue,
                    value: .string(Base64.encode(try key.signature(over: text))))
            ])
    }

    private func signed(payload: [UInt8], unproven: [JSONField] = []) throws -> [UInt8] {
        let header = #"{"kid":"\#(PostbackKeyID.test.rawValue)","alg":"ES256"}"#
        let text = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
        let jws = text + "." + Base64URL.encode(try keys[1].jwsSignature(for: Array(text.utf8)))
        return ([JSONField(name: PostbackField.jwsString.rawValue, value: .string(jws))] + unproven).body
    }

    /// Values of the same JSON type, of which no version knows all.
    private static func others(_ value: JSONValue?) -> [JSONValue] {
        switch value {
        case .string?:
            [
                .string(""), .string("preorder"), .string(String(repeating: "x", count: 300)), .string("a\nb"),
                .string("12345é"),
            ]
        case .integer?:
            [
                .integer(-1), .integer(3), .integer(64), raw("9223372036854775808"), raw("-99999999999999999999"),
            ]
        default: []
        }
    }

    private func isKeptOrCounted(_ body: [UInt8]) -> Bool {
        switch verifier.judge(body) {
        case .verified: true
        case .rejected(let rejection, _): rejection.code == .notUnderstood
        case .undecided: false
        }
    }

    @Test(
        "Any signed value of its type is counted or kept as unknown", arguments: SKAdNetworkVersion.allCases,
        [nil, .sourceAppID, .sourceDomain] as [PostbackField?])
    func values(_ version: SKAdNetworkVersion, _ source: PostbackField?) throws {
        var draft = PostbackVerifierTests.draft(version)
        if let source {
            guard PostbackField.signed(in: version).contains(source) else {
                return
            }
            draft[source] = source == .sourceAppID ? .integer(7) : .string("example.com")
        }
        let fields = draft.fields.filter { field in
            PostbackField.signed(in: version).contains { $0.rawValue == field.name } || field.name == "version"
        }
        for field in PostbackField.signed(in: version) where field != .version {
            for value in Self.others(fields[field]) {
                var changed = fields
                changed[field] = value
                #expect(isKeptOrCounted(try signed(changed, as: version)), "\(field.rawValue) \(value.summary)")
            }
        }
    }

    @Test("Every body of every version that simulated devices send stays counted or kept with another signed value")
    func simulated() async throws {
        var traffic = try ScenarioTraffic(await World.plain(count: 300, faults: 5, seed: 7), seed: 7, standIn: standIn)
        var seen: [String: Int] = [:]
        while let deliveries = try await traffic.next() {
            for delivery in deliveries {
                guard case .verified(let verified) = verifier.judge(delivery.body) else {
                    continue
                }
                switch verified.postback {
                case .skAdNetwork(let postback):
                    seen[postback.version.rawValue, default: 0] += 1
                    guard seen[postback.version.rawValue, default: 0] <= 3 else { continue }
                    let fields = postback.fields.filter { $0.name != PostbackField.attributionSignature.rawValue }
                    for field in PostbackField.signed(in: postback.version) where field != .version {
                        for value in Self.others(fields[field]) {
                            var changed = fields
                            changed[field] = value
                            let body = try signed(changed, as: postback.version)
                            #expect(isKeptOrCounted(body), "\(postback.version) \(field.rawValue) \(value.summary)")
                        }
                    }
                case .adAttributionKit(let postback):
                    seen["AdAttributionKit", default: 0] += 1
                    guard seen["AdAttributionKit", default: 0] <= 3 else { continue }
                    for field in postback.signedFields {
                        for value in Self.others(field.value) + [.null, .bool(true), Self.raw("[1]"), .integer(7)] {
                            let changed = postback.signedFields.map {
                                $0.name == field.name ? JSONField(name: $0.name, value: value) : $0
                            }
                            let body = try signed(payload: Self.json(changed), unproven: postback.unprovenFields)
                            #expect(isKeptOrCounted(body), "\(field.name) \(value.summary)")
                        }
                        let body = try signed(payload: postback.signedFields.filter { $0 != field }.body)
                        #expect(isKeptOrCounted(body), "without \(field.name)")
                    }
                }
            }
        }
        #expect(Set(seen.keys) == ["2.2", "3.0", "4.0", "AdAttributionKit"])
    }

    @Test("A signed payload is kept whatever it is", arguments: ["[]", "{}", "x", "", #"{"a":1,"a":2}"#, "null"])
    func payloads(_ payload: String) throws {
        guard
            case .rejected(.notUnderstood(let verified), _) = verifier.judge(
                try signed(payload: Array(payload.utf8)))
        else {
            Issue.record("not kept as verified")
            return
        }
        #expect(verified.provenance == .test && verified.postback.adNetworkID == nil)
    }

    @Test("The reason names field, value and key")
    func reason() throws {
        var draft = AdAttributionKitVerifierTests.draft()
        draft[.conversionType] = .string("preorder")
        guard case .rejected(let rejection, _) = verifier.judge(try signed(payload: draft.signed.body)) else {
            Issue.record("counted")
            return
        }
        #expect(rejection.code == .notUnderstood)
        #expect(
            rejection.description.hasPrefix("verifies under ")
                && rejection.description.contains(
                    #"does not know conversion-type: found the string "preorder", expected one of download, redownload, re-engagement"#
                ), "\(rejection)")
    }

    @Test("Re-engagement without its hyphen is read as re-engagement")
    func hyphen() throws {
        var draft = AdAttributionKitVerifierTests.draft()
        draft[.conversionType] = .string("reengagement")
        guard case .verified(let verified) = verifier.judge(try signed(payload: draft.signed.body)),
            case .adAttributionKit(let postback) = verified.postback
        else {
            Issue.record("not counted")
            return
        }
        #expect(postback.conversionType == .reengagement)
    }

    // MARK: What nobody may put there

    /// Changes to a postback of 4.0 with an unknown index, after which its text has a second reading or none.
    static let ambiguous: [(String, @Sendable (inout [JSONField]) -> Void)] = [
        (
            "the app as a domain",
            {
                $0[.sourceAppID] = nil; $0[.sourceDomain] = .string("1234567891")
            }
        ),
        (
            "a long number as a domain",
            {
                $0[.sourceAppID] = nil; $0[.sourceDomain] = .string("-99999999999999999999")
            }
        ),
        ("both sources", { $0[.sourceDomain] = .string("example.com") }),
        ("a source of null", { $0[.sourceAppID] = .null }),
        ("a field of another version", { $0[.campaignID] = .integer(42) }),
        ("an identifier as a number", { $0[.sourceIdentifier] = .integer(42) }),
        ("a number as text", { $0[.appID] = .string("10738027756") }),
        ("a fraction", { $0[.appID] = raw("1.5") }), ("an exponent", { $0[.appID] = raw("1e5") }),
        ("minus zero", { $0[.appID] = raw("-0") }), ("a boolean as text", { $0[.didWin] = .string("true") }),
        ("a separator", { $0[.adNetworkID] = .string("a\u{2063}b") }),
        ("no did-win", { $0[.didWin] = nil }), ("no network", { $0[.adNetworkID] = nil }),
    ]

    @Test("A text that can be read in two ways is not kept as verified", arguments: ambiguous)
    func secondReading(_ name: String, _ change: @Sendable (inout [JSONField]) -> Void) throws {
        var draft = PostbackVerifierTests.draft(.v4_0)
        draft[.sourceAppID] = .integer(7)
        draft[.sequenceIndex] = .integer(3)
        var fields = draft.fields
        #expect(isKeptOrCounted(try signed(fields, as: .v4_0)))
        change(&fields)
        guard case .rejected(.malformed, _) = verifier.judge(try signed(fields, as: .v4_0)) else {
            Issue.record("\(name): kept")
            return
        }
    }

    @Test("A signature that does not verify leaves a body malformed, of either framework")
    func strangers() throws {
        var draft = PostbackVerifierTests.draft(.v4_0)
        draft[.sequenceIndex] = .integer(3)
        var payload = AdAttributionKitVerifierTests.draft()
        payload[.conversionType] = .string("preorder")
        for body in [try signed(draft.fields, as: .v4_0), try signed(payload: payload.signed.body)] {
            guard case .rejected(let rejection, _) = try PostbackVerifier().judge(body) else {
                Issue.record("verified without the key")
                continue
            }
            #expect([.malformed, .unknownKey].contains(rejection.code))
        }
        let other = try PostbackVerifier(testKeys: standIn.publicKeys())
        for body in [try signed(draft.fields, as: .v4_0), try signed(payload: payload.signed.body)] {
            guard case .rejected(.malformed, _) = other.judge(body) else {
                Issue.record("verified under another key")
                continue
            }
        }
    }

    @Test("The published samples and cases stay what they are: none is kept as verified without being counted")
    func samples() throws {
        for sample in try AppleSignedPostback.all() {
            if case .rejected(.notUnderstood, _) = verifier.judge(sample.body) {
                Issue.record("\(sample)")
            }
        }
    }
}
