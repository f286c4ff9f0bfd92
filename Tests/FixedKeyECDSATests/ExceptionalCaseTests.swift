import FixedKeyECDSA
import Testing

/// Keys with a known discrete logarithm, and scalars chosen to make sums collide: the verdict is right or `undecided`.
@Suite("Exceptional sums are never judged wrongly", .serialized)
struct ExceptionalCaseTests {
    /// Points that divide evenly among two, four and eight lanes.
    private static let widths = [7, 10, 4]
    /// Batches of copies of a signature: few share the lanes of the machine in other ways than many.
    private static let sizes = [1, 2, 3, 9]
    /// How many verdicts there are on a signature: one on it alone, the others in batches.
    private static let verdictCount = 1 + sizes.reduce(0, +)

    /// Checks one signature alone and within batches; returns how often it was undecided.
    private func undecided(
        _ digest: [UInt8], _ r: Number, _ s: Number, key: OpenSSLKey, verifiers: [FixedKeyVerifier]
    ) throws -> Int {
        let der = DERWriter.signature(r, s)
        let signature = try #require(ECDSASignature(der: der, on: key.curve))
        let expected: Verdict = key.verifies(der, of: digest) ? .valid : .invalid
        var count = 0
        for verifier in verifiers {
            let check = SignatureCheck(
                digest: MessageDigest(digest), signature: signature, key: verifier.keys[0])
            let inBatches = Self.sizes.flatMap { verifier.verify(Array(repeating: check, count: $0)) }
            for verdict in [verifier.verify(check)] + inBatches {
                #expect(verdict == expected || verdict == .undecided)
                count += verdict == .undecided ? 1 : 0
            }
        }
        return count
    }

    @Test("For keys d·G with small d of either sign", arguments: ECDSACurve.allCases)
    func smallKeys(curve: ECDSACurve) throws {
        let group = OpenSSLGroup(curve)
        let n = group.order
        var generator = SeededGenerator(seed: 7)
        var (all, undecided) = (0, 0)
        for d in (1...3).flatMap({ [Number($0), n - Number($0)] }) {
            let point = try #require(group.sum(d))
            let key = try #require(OpenSSLKey(point: point, on: curve))
            let publicKey = try key.publicKey
            let verifiers = FixedKeyVerifier.variants([publicKey], windowWidths: Self.widths)
            for _ in 0..<20 {
                // A genuine signature, and random numbers.
                let (digest, k) = (generator.bytes(32), generator.scalar(below: n))
                let sum = try #require(group.sum(k))
                let r = group.x(of: sum) % n
                let e = Number(bytes: Array(digest[..<curve.size]))
                let s = (e + r * d) * k.inverse(modulo: n) % n
                undecided += try self.undecided(digest, r, s, key: key, verifiers: verifiers)
                undecided += try self.undecided(digest, s, r, key: key, verifiers: verifiers)
                all += 2 * Self.verdictCount * verifiers.count
            }
        }
        // Only if G and Q are so close that single summands collide.
        #expect(undecided < all / 2, "\(undecided) of \(all)")
    }

    @Test("For u₁·G = ±u₂·Q and for equal and opposite scalars", arguments: ECDSACurve.allCases)
    func meetingSums(curve: ECDSACurve) throws {
        let group = OpenSSLGroup(curve)
        let n = group.order
        var generator = SeededGenerator(seed: 11)
        for round in 0..<12 {
            // Given u₁, u₂ and d, r follows from the sum, then s = r / u₂ and e = u₁·s. For the sums that vanish any r.
            let d = round % 3 == 0 ? Number(1) : generator.scalar(below: n)
            let point = try #require(group.sum(d))
            let key = try #require(OpenSSLKey(point: point, on: curve))
            let publicKey = try key.publicKey
            let verifiers = FixedKeyVerifier.variants([publicKey], windowWidths: Self.widths)
            let u2 = generator.scalar(below: n)
            for u1 in [u2 * d % n, n - u2 * d % n, u2, n - u2, Number(0), Number(1), n - Number(1)] {
                let sum = group.sum(u1, key.point, times: u2)
                let r = sum.map { group.x(of: $0) % n } ?? generator.scalar(below: n)
                let s = r * u2.inverse(modulo: n) % n
                let digest = (u1 * s % n).bytes(curve.size) + [UInt8](repeating: 0, count: 32 - curve.size)
                let undecided = try undecided(digest, r, s, key: key, verifiers: verifiers)
                // A sum at infinity must be detected as the sum of opposite points.
                if sum == nil { #expect(undecided == Self.verdictCount * verifiers.count) }
            }
        }
    }

    @Test("For sums whose x is above n, where r + n is the second candidate", arguments: ECDSACurve.allCases)
    func secondCandidates(curve: ECDSACurve) throws {
        let group = OpenSSLGroup(curve)
        let n = group.order
        var generator = SeededGenerator(seed: 13)
        var found = 0
        for offset in 1...24 as ClosedRange<UInt64> {
            // Small r, and the largest below p − n. Q = (R − u₁·G) / u₂ makes R come out.
            let r = offset % 2 == 0 ? Number(offset) : group.prime - n - Number(offset)
            let (u1, u2) = (generator.scalar(below: n), generator.scalar(below: n))
            guard let sum = group.point(x: r + n) else { continue }
            found += 1
            let inverse = u2.inverse(modulo: n)
            let point = try #require(group.sum((n - u1) * inverse % n, sum, times: inverse))
            let key = try #require(OpenSSLKey(point: point, on: curve))
            let publicKey = try key.publicKey
            let verifiers = FixedKeyVerifier.variants([publicKey], windowWidths: Self.widths)
            let s = r * inverse % n
            let digest = (u1 * s % n).bytes(curve.size) + [UInt8](repeating: 0, count: 32 - curve.size)
            #expect(key.verifies(DERWriter.signature(r, s), of: digest))
            let undecided = try undecided(digest, r, s, key: key, verifiers: verifiers)
            #expect(undecided == 0)
        }
        #expect(found > 5)
    }
}
