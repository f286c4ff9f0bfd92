import Attribution
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

@Suite("Verifying only under the right key")
struct PostbackVerifierTests {
    /// A draft of each version.
    static func draft(_ version: SKAdNetworkVersion) -> PostbackDraft {
        var draft = PostbackDraft([])
        draft[.version] = .string(version.rawValue)
        draft[.adNetworkID] = .string("Example123.SKAdNetwork")
        if version.hasSourceIdentifier {
            draft[.sourceIdentifier] = .string("0042")
        } else {
            draft[.campaignID] = .integer(42)
        }
        draft[.appID] = .integer(10_738_027_756)
        draft[.transactionID] = .string("6AAFB7A5-0170-41b5-bbe4-fe71dedf1e28")
        draft[.redownload] = .bool(true)
        draft[.fidelityType] = .integer(1)
        draft[.didWin] = .bool(false)
        draft[.sequenceIndex] = .integer(0)
        return draft
    }

    @Test(
        "Test keys verify only where they are named, and mark what they verify", arguments: SKAdNetworkVersion.allCases)
    func testKeys(_ version: SKAdNetworkVersion) throws {
        let standIn = try AppleStandIn()
        let body = try standIn.sign(Self.draft(version))
        guard case .rejected(.invalidSignature, _) = try PostbackVerifier().judge(body) else {
            Issue.record("a test key counts as Apple's")
            return
        }
        guard case .verified(let verified) = try PostbackVerifier(testKeys: standIn.publicKeys()).judge(body) else {
            Issue.record("refused although the key is named")
            return
        }
        #expect(verified.provenance == .test)
        #expect(verified.keyName.contains(version.postbackCurve.displayName))
    }

    @Test("Apple's own key as a test key does not mark postbacks as test")
    func appleKeyAsTestKey() throws {
        let apple = try SignatureCurve.allCases.map {
            try #require(SignaturePublicKey(base64: ApplePublicKeys.base64($0)))
        }
        let verifier = try PostbackVerifier(testKeys: apple)
        for sample in try AppleSignedPostback.all() where sample.isGenuine {
            guard case .verified(let verified) = verifier.judge(sample.body) else {
                Issue.record("refused: \(sample.name)")
                continue
            }
            #expect(verified.provenance == (sample.name.contains("development") ? .development : .apple))
        }
    }

    @Test("A key verifies only the versions of its curve", arguments: SKAdNetworkVersion.allCases)
    func curves(_ version: SKAdNetworkVersion) throws {
        let standIn = try AppleStandIn()
        let body = try standIn.sign(Self.draft(version))
        let others = try standIn.publicKeys().filter { $0.curve != version.postbackCurve }
        guard case .rejected(.invalidSignature(let keys), _) = try PostbackVerifier(testKeys: others).judge(body) else {
            Issue.record("verified under a key of the other curve")
            return
        }
        #expect(keys == ["Apple's key on \(version.postbackCurve.displayName)"])
    }

    @Test(
        "Any change to a signed field, and any moved value, is detected",
        arguments: SKAdNetworkVersion.allCases, [nil, .sourceAppID, .sourceDomain] as [PostbackField?])
    func tampered(_ version: SKAdNetworkVersion, _ source: PostbackField?) throws {
        let standIn = try AppleStandIn()
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        var draft = Self.draft(version)
        draft[.conversionValue] = .integer(20)
        draft[.countryCode] = .string("DE")
        switch source {
        case .sourceAppID: draft[.sourceAppID] = .integer(1_234_567_891)
        case .sourceDomain: draft[.sourceDomain] = .string("example.com")
        default: break
        }
        let postback = try ReceivedPostback(reading: standIn.sign(draft))
        MovedValue.expectDetected(postback, by: verifier)
    }

    @Test("An app id under the name of a domain is refused, although the signed text is the same")
    func appIDAsDomain() throws {
        let standIn = try AppleStandIn()
        var draft = Self.draft(.v4_0)
        draft[.sourceAppID] = .integer(1_234_567_891)
        let signature = try SKAdNetworkPostback(reading: standIn.sign(draft)).attributionSignature
        draft[.sourceAppID] = nil
        draft[.sourceDomain] = .string("1234567891")
        let judgement = try PostbackVerifier(testKeys: standIn.publicKeys()).judge(draft.body(signature: signature))
        guard case .rejected(.malformed(let problems), _) = judgement else {
            Issue.record("judged: \(judgement)")
            return
        }
        #expect(
            problems == [
                FieldProblem(
                    field: "source-domain", found: "the string \"1234567891\"",
                    expected: "a domain, with a dot and a letter")
            ])
    }

    @Test(
        "A signature that is not DER is refused",
        arguments: [[0], [0x30], [0x30, 0x80], [0x30, 0x06, 2, 1, 0, 2, 1, 0], Array(repeating: 0x30, count: 4096)]
            as [[UInt8]])
    func signatures(_ signature: [UInt8]) throws {
        for version in SKAdNetworkVersion.allCases {
            let body = Self.draft(version).body(signature: signature)
            guard case .rejected(.invalidSignature, _) = try PostbackVerifier().judge(body) else {
                Issue.record("accepted for \(version)")
                return
            }
        }
    }
}
