import Attribution
import AttributionHarness
import AttributionSigning
import Testing

@Suite("Mutated bodies")
struct MutatedBodyTests {
    /// A generator with the same numbers in every run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Fragments to insert: structure, halves of escapes and surrogates, ends of numbers, invalid UTF-8.
    private static let pieces: [[UInt8]] =
        [
            "\\", "\\u", "\\ud8", "\\ud800", "\\udc00", "\\ud800\\u0041", "\\udbff\\udbff", "\\u0000", "\"", "{", "}",
            "[", "]",
            ":", ",", "-", "0", "-0", "1e", "9223372036854775808", "-9223372036854775808", "0.5", "true", "null", " ",
            "\n",
            "=", "/", "{\"a\":1}", "[[[[[[[[[", "\"version\":", "\u{2063}", "é", ".", "..",
        ].map { Array($0.utf8) } + [[0], [0x1F], [0x7F], [0x80], [0xC0], [0xED, 0xA0, 0x80], [0xFF]]

    @Test("They are handled safely, and verify only if the signed text is unchanged")
    func judged() throws {
        let verifier = try PostbackVerifier()
        let originals = try AppleSignedPostback.all()
        var random = Generator(state: 4)
        var verified = 0
        for round in 0..<40_000 {
            let original = originals[round % originals.count]
            var body = original.body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0...body.count, using: &random)
                let end = min(body.count, start + [0, 0, 1, 2, 6][Int.random(in: 0...4, using: &random)])
                body.replaceSubrange(
                    start..<end, with: Self.pieces[Int.random(in: Self.pieces.indices, using: &random)])
            }
            guard let postback = try? ReceivedPostback(reading: body) else {
                if case .rejected(.notUnderstood, _) = verifier.judge(body) {
                    Issue.record("kept as verified: \(String(decoding: body, as: UTF8.self))")
                }
                continue
            }
            let genuine = try ReceivedPostback(reading: original.body)
            // Verifying is slow without tables, and cannot change where the same text and signature stand.
            if postback.signedBytes != genuine.signedBytes, round % 8 == 0 {
                guard case .rejected = verifier.judge(body) else {
                    Issue.record("verified: \(String(decoding: body, as: UTF8.self))")
                    continue
                }
            } else {
                verified += 1
            }
        }
        #expect(verified > 100)
    }
}
