import COpenSSL
import FixedKeyECDSA

/// Batch verification under a known key, on one core, with all that belongs to it: SHA-256, DER, the arithmetic.
struct VerificationPart: BenchmarkPart {
    let name = "verify"
    let summary = "batch verification of each curve, one core, against openssl speed"

    private static let batch = 128
    private static let seconds = 3.0

    func run(_ bench: Bench) throws {
        try measure("P-256", .p256, .current, pem: bench.keys.p256, "ecdsap256", bar: 9, bench)
        try measure("P-192", .p192, .former, pem: bench.keys.p192, "ecdsap192", bar: 60, bench)
    }

    private func measure(
        _ name: String, _ curve: ECDSACurve, _ kind: PostbackMaker.Kind, pem: String, _ algorithm: String,
        bar: Double, _ bench: Bench
    ) throws {
        let key = try SigningKey(pem: pem)
        var maker = PostbackMaker(kind, key: key)
        let batches = try (0..<64).map { _ in try (0..<Self.batch).map { _ in try maker.next() } }
        let point = try key.publicPoint(byteCount: curve == .p256 ? 65 : 49)
        let verifier = FixedKeyVerifier(publicKeys: [try ECDSAPublicKey(x963: point.span, on: curve)])
        let reference = try bench.reference(algorithm).verificationsPerSecond
        let rate = try Core.pinned(to: Core.server) {
            // Once through, unmeasured, for the caches.
            try batches.forEach { try verify($0, with: verifier) }
            let stopwatch = Stopwatch()
            var count = 0
            while stopwatch.seconds < Self.seconds {
                for postbacks in batches {
                    try verify(postbacks, with: verifier)
                    count += postbacks.count
                }
            }
            return Double(count) / stopwatch.seconds
        }
        bench.board.add(
            Figure(
                name: "\(name) verification in batches of \(Self.batch), one core ÷ `openssl`",
                measured: "\(rate.shown)/s",
                reference: "\(reference.shown)/s",
                value: rate / reference,
                bar: .atLeast(bar)))
    }

    private func verify(_ postbacks: [SignedPostback], with verifier: FixedKeyVerifier) throws {
        let key = verifier.keys[0]
        let checks = postbacks.compactMap { postback in
            var digest = [UInt8](repeating: 0, count: 32)
            SHA256(postback.text, postback.text.count, &digest)
            return ECDSASignature(der: postback.signature.span, on: key.curve).map {
                SignatureCheck(digest: MessageDigest(digest.span), signature: $0, key: key)
            }
        }
        let valid = verifier.verify(checks).count { $0 == .valid }
        guard valid == postbacks.count else {
            throw BenchmarkFailure("\(valid) of \(postbacks.count) valid signatures were found valid")
        }
    }
}
