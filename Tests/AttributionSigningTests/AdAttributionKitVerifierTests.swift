import Attribution
import AttributionHarness
import AttributionSigning
import StrictJSON
import Testing

@Suite("Verifying AdAttributionKit postbacks under the key they name")
struct AdAttributionKitVerifierTests {
    static func draft(_ keyID: PostbackKeyID = .test) -> AdAttributionKitDraft {
        var draft = AdAttributionKitDraft(signed: [], unproven: [], keyID: keyID.rawValue)
        draft[.postbackIdentifier] = .string("85546EB7-FD39-44BC-8990-C98A4AC36A49")
        draft[.adNetworkIdentifier] = .string("example123.adattributionkit")
        draft[.advertisedItemIdentifier] = .integer(10_738_027_756)
        draft[.publisherItemIdentifier] = .integer(5_838_492)
        draft[.sourceIdentifier] = .string("0042")
        draft[.conversionType] = .string("redownload")
        draft[.impressionType] = .string("app-impression")
        draft[.marketplaceIdentifier] = .string("com.apple.AppStore")
        draft[.didWin] = .bool(true)
        draft[.sequenceIndex] = .integer(0)
        draft.unproven[.conversionValue] = .integer(24)
        return draft
    }

    let standIn: AppleStandIn
    let trusting: PostbackVerifier

    init() throws {
        standIn = try AppleStandIn()
        trusting = try PostbackVerifier(testKeys: standIn.publicKeys())
    }

    @Test("Test keys verify only their own kid, only if trusted, and mark what they verify")
    func testKey() throws {
        let body = try standIn.sign(Self.draft())
        guard case .rejected(.unknownKey, let kept) = try PostbackVerifier().judge(body) else {
            Issue.record("a test kid means something although no test key is named")
            return
        }
        #expect(kept == body)
        guard case .verified(let verified) = trusting.judge(body) else {
            Issue.record("refused although the key is named")
            return
        }
        #expect(verified.provenance == .test)
    }

    @Test(
        "A key is never tried under another kid, even a trusted one",
        arguments: PostbackKeyID.known.filter { $0 != .test })
    func otherKeyID(_ keyID: PostbackKeyID) throws {
        guard case .rejected(.invalidSignature(let keys), _) = trusting.judge(try standIn.sign(Self.draft(keyID)))
        else {
            Issue.record("a test key verified what names \(keyID)")
            return
        }
        #expect(keys.count == 1 && keys.allSatisfy { $0.hasPrefix("Apple's") })
    }

    @Test("Any change to a signed field or to the signature, and any moved value, is detected")
    func tampered() throws {
        let postback = try ReceivedPostback(reading: standIn.sign(Self.draft()))
        let changes = Tampering.changes(of: postback)
        #expect(Set(changes.map(\.field)).count == Self.draft().signed.count + 1)
        MovedValue.expectDetected(postback, by: trusting)
    }

    @Test("Unsigned fields do not affect the verdict")
    func unproven() throws {
        guard case .adAttributionKit(let postback) = try ReceivedPostback(reading: standIn.sign(Self.draft())) else {
            Issue.record("read as SKAdNetwork")
            return
        }
        var draft = AdAttributionKitDraft(postback)
        draft.unproven = [
            JSONField(name: "conversion-value", value: .null), JSONField(name: "ip", value: .string("::1")),
        ]
        guard case .verified(let verified) = trusting.judge(draft.body(signature: postback.jws.signature)) else {
            Issue.record("refused")
            return
        }
        #expect(verified.postback.conversion == .null)
    }

    @Test("Verdicts are the same alone and in batches, with tables and without")
    func together() async throws {
        var traffic = try ScenarioTraffic(
            await World.plain(count: 200, faults: 5, seed: 11), seed: 11, standIn: standIn)
        var bodies = try AppleSignedPostback.all().map(\.body)
        while let deliveries = try await traffic.next() {
            bodies += deliveries.map(\.body)
        }
        let alone = bodies.map { Self.summary(trusting.judge($0)) }
        #expect(Set(alone).count > 8)
        #expect(trusting.judge(bodies).map(Self.summary) == alone)
        try trusting.prepareTables()
        #expect(trusting.judge(bodies).map(Self.summary) == alone)
        #expect(bodies.map { Self.summary(trusting.judge($0)) } == alone)
    }

    private static func summary(_ judgement: Judgement) -> String {
        switch judgement {
        case .verified(let verified): "verified \(verified.provenance) \(verified.keyName)"
        case .rejected(let rejection, _): "\(rejection.code) \(rejection)"
        case .undecided(let reason, _): "undecided \(reason)"
        }
    }
}
