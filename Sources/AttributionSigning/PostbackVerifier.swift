public import Attribution

/// Judges bodies: reads them strictly, builds the text their version signs, and verifies the signature over it.
///
/// The version picks the order of the text and the curve. The test keys an operator named are tried first, so that a
/// test server does not verify everything twice; a server in production has none. It alone makes a
/// ``VerifiedPostback``.
public struct PostbackVerifier: Sendable {
    private let keys: [SignatureCurve: [PostbackVerificationKey]]

    /// Makes a verifier with Apple's keys and, when named, test keys.
    ///
    /// - Parameter testKeys: Keys whose postbacks are marked as test. One of Apple's own keys among them is left out:
    ///   what it verifies is Apple's.
    /// - Throws: ``KeyProblem/noPublicKey(file:)`` when OpenSSL lacks a curve.
    public init(testKeys: [SignaturePublicKey] = []) throws(KeyProblem) {
        var keys: [SignatureCurve: [PostbackVerificationKey]] = [:]
        for curve in SignatureCurve.allCases {
            let apple = try PostbackVerificationKey.apple(curve)
            let tests = testKeys.filter { $0.curve == curve && $0.base64 != apple.publicKey.base64 }
            keys[curve] = tests.map(PostbackVerificationKey.test) + [apple]
        }
        self.keys = keys
    }

    /// Reads and verifies one body.
    public func judge(_ body: [UInt8]) -> Judgement {
        do throws(PostbackRejection) {
            return verify(try ReceivedPostback(reading: body))
        } catch {
            return .rejected(error, body: body)
        }
    }

    /// Reads and verifies bodies, together where that is cheaper.
    ///
    /// - Returns: The judgements in the order of the bodies.
    public func judge(_ bodies: [[UInt8]]) -> [Judgement] {
        bodies.map { judge($0) }
    }

    /// Verifies a postback that was read.
    public func verify(_ postback: ReceivedPostback) -> Judgement {
        let candidates = keys[postback.version.postbackCurve] ?? []
        let text = postback.signedText
        for candidate in candidates
        where candidate.publicKey.verifies(postback.attributionSignature, for: text) {
            return .verified(
                VerifiedPostback(verified: postback, provenance: candidate.provenance, keyName: candidate.name))
        }
        return .rejected(.invalidSignature(keys: candidates.map(\.name)), body: postback.body)
    }
}
