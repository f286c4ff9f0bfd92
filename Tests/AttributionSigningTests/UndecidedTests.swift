import Attribution
import AttributionHarness
import AttributionSigning
import Platform
import Testing

@Suite("Undecided is not forged")
struct UndecidedTests {
    let standIn: AppleStandIn
    let body: [UInt8]
    /// Keys without an OpenSSL implementation, so that every operation fails inside OpenSSL.
    let failing: [SignaturePublicKey]

    init() throws {
        standIn = try AppleStandIn()
        body = try standIn.sign(PostbackVerifierTests.draft(.v4_0))
        failing = try standIn.publicKeys().map { $0.requiring(properties: "provider=absent") }
    }

    @Test("A failure of OpenSSL is undecided, alone and in a batch")
    func failure() throws {
        let verifier = try PostbackVerifier(testKeys: failing)
        for judgement in [verifier.judge(body)] + verifier.judge([body, body]) {
            guard case .undecided(let reason, let kept) = judgement else {
                Issue.record("judged: \(judgement)")
                continue
            }
            #expect(reason.hasPrefix("EVP_PKEY_verify_init: "))
            #expect(kept == body)
        }
    }

    @Test("A key that verifies decides, in whatever order keys are tried")
    func otherKey() throws {
        for keys in [failing + (try standIn.publicKeys()), try standIn.publicKeys() + failing] {
            guard case .verified = try PostbackVerifier(testKeys: keys).judge(body) else {
                Issue.record("not verified")
                return
            }
        }
    }

    @Test("Other bodies in the batch get their verdicts")
    func batch() throws {
        let verifier = try PostbackVerifier(testKeys: failing)
        let genuine = try AppleSignedPostback.all().filter { $0.name == "aak-development-reengagement" }.map(\.body)
        let judgements = verifier.judge([body] + genuine + [[0x7B]])
        #expect(judgements.count == 3)
        guard case .undecided = judgements[0], case .verified = judgements[1], case .rejected = judgements[2] else {
            Issue.record("judged: \(judgements)")
            return
        }
    }

    @Test(
        "A malformed signature is invalid without calling OpenSSL",
        arguments: [
            [], [0], [0x30], [0x30, 0x80], [0x30, 0x06, 2, 1, 0, 2, 1, 1], [0x30, 0x06, 2, 1, 1, 2, 1, 1, 0],
            [0x30, 0x81, 0x06, 2, 1, 1, 2, 1, 1], [0x30, 0x07, 2, 2, 0, 1, 2, 1, 1], [0x30, 0x06, 2, 1, 0x81, 2, 1, 1],
            Array(repeating: 0x30, count: 4096),
        ] as [[UInt8]])
    func malformed(_ signature: [UInt8]) throws {
        for version in SKAdNetworkVersion.allCases {
            let body = PostbackVerifierTests.draft(version).body(signature: signature.isEmpty ? [0] : signature)
            guard case .rejected(.invalidSignature, _) = try PostbackVerifier(testKeys: failing).judge(body) else {
                Issue.record("undecided for \(version)")
                return
            }
        }
    }

    @Test("A crafted signature whose sum is the point at infinity is invalid")
    func pointAtInfinity() throws {
        // The public key is the generator itself, so that r = n − e and any s give the point at infinity.
        let generator =
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84z"
            + "V2sxXs7LtkBoN79R9Q=="
        let key = try #require(SignaturePublicKey(base64: generator))
        var signature: [UInt8] = [0x30, 0x06, 2, 1, 1, 2, 1, 1]
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        let draft = PostbackVerifierTests.draft(.v4_0)
        let text = try SKAdNetworkPostback(reading: draft.body(signature: signature)).signedText
        let digest = SHA256.digest(of: text.utf8).bytes
        // n − e, byte by byte from the last; a digest above n would borrow past the first.
        var (difference, borrow) = ([UInt8](repeating: 0, count: 32), 0)
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(digest[index]) - borrow
            difference[index] = UInt8(truncatingIfNeeded: value)
            borrow = value < 0 ? 1 : 0
        }
        try #require(borrow == 0)
        let r = Array((difference[0] >= 0x80 ? [0] : []) + difference)
        signature = [0x30, UInt8(r.count + 5), 2, UInt8(r.count)] + r + [2, 1, 1]
        let judgement = try PostbackVerifier(testKeys: [key]).judge(draft.body(signature: signature))
        guard case .rejected(.invalidSignature, _) = judgement else {
            Issue.record("judged: \(judgement)")
            return
        }
    }
}
