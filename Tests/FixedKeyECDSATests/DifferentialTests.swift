import FixedKeyECDSA
import Foundation
import Testing

@Suite("The verifier and OpenSSL agree")
struct DifferentialTests {
    /// Cases for each curve; `SKAN_FUZZ_CASES` sets another number.
    private static let caseCount =
        ProcessInfo.processInfo.environment["SKAN_FUZZ_CASES"].flatMap { Int($0) } ?? 20_000

    /// `SKAN_FUZZ_SEED` repeats a run or starts another.
    private static let seed =
        ProcessInfo.processInfo.environment["SKAN_FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_260_101

    #if DEBUG
        // Without optimization, a table of 13 bits takes seconds.
        private static let widths = [4, 5, 6, 8, 10]
    #else
        private static let widths = [4, 5, 8, 10, 13]
    #endif

    @Test("On genuine, mutated and mangled signatures, one by one and in batches", arguments: ECDSACurve.allCases)
    func agreesWithOpenSSL(curve: ECDSACurve) throws {
        let seed = Self.seed &+ UInt64(curve.size)
        var cases = SignatureCases(group: OpenSSLGroup(curve), keyCount: 5, seed: seed)
        var generator = SeededGenerator(seed: ~seed)
        let keys = try cases.keys.map { try #require(OpenSSLKey(point: $0, on: curve)) }
        let publicKeys = try keys.map { try $0.publicKey }
        let verifiers = FixedKeyVerifier.variants(publicKeys, windowWidths: Self.widths)

        var (done, valid) = (0, 0)
        var failures: [String] = []
        while done < Self.caseCount, failures.count < 10 {
            let sizes = [1, 2, 3, 4, 5, 8, 17, 64, 65, 127, 128, 129, 300]
            let batch = (0..<sizes.randomElement(using: &generator)!).map { _ in cases.next() }
            let single = Int.random(in: verifiers.indices, using: &generator)
            let together = Int.random(in: verifiers.indices, using: &generator)
            var checks: [SignatureCheck] = []
            var judged: [(SignatureCase, Verdict)] = []
            for one in batch {
                let signature = ECDSASignature(der: one.der, on: curve)
                if let (r, s) = one.numbers, max(r.bytes().count, s.bytes().count) <= curve.size {
                    // The same numbers in the other encoding.
                    let raw = r.bytes(curve.size) + s.bytes(curve.size)
                    if ECDSASignature(raw: raw, on: curve) != signature {
                        failures.append("r‖s and DER are read differently: \(one)")
                    }
                }
                guard let signature else {
                    if keys[one.key].verifies(one.der, of: one.digest) {
                        failures.append("not read, but valid: \(one)")
                    }
                    continue
                }
                let check = SignatureCheck(
                    digest: MessageDigest(one.digest), signature: signature, key: verifiers[0].keys[one.key])
                checks.append(check)
                let expected: Verdict = keys[one.key].verifies(one.der, of: one.digest) ? .valid : .invalid
                valid += expected == .valid ? 1 : 0
                judged.append((one, expected))
                let verdict = verifiers[single].verify(check)
                if verdict != expected { failures.append("\(verdict) alone, should be \(expected): \(one)") }
            }
            for ((one, expected), verdict) in zip(judged, verifiers[together].verify(checks)) where verdict != expected
            {
                failures.append("\(verdict) in a batch of \(checks.count), should be \(expected): \(one)")
            }
            done += batch.count
        }
        #expect(failures.isEmpty, "SKAN_FUZZ_SEED=\(Self.seed)\n\(failures.joined(separator: "\n"))")
        // Guards against a run in which nothing, or everything, verifies.
        #expect(valid > done / 10 && valid < done / 2)
    }

    @Test("On signatures of both curves and several keys in one batch")
    func agreesOnMixedBatches() throws {
        var cases = ECDSACurve.allCases.map { SignatureCases(group: OpenSSLGroup($0), keyCount: 3, seed: Self.seed) }
        var keys: [OpenSSLKey] = []
        for (curve, some) in zip(ECDSACurve.allCases, cases) {
            keys += try some.keys.map { try #require(OpenSSLKey(point: $0, on: curve)) }
        }
        let verifiers = FixedKeyVerifier.variants(try keys.map { try $0.publicKey }, windowWidths: [6])
        for size in [1, 2, 3, 7, 8, 250, 400] {
            var checks: [SignatureCheck] = []
            var expected: [Verdict] = []
            while checks.count < size {
                let number = checks.count % 2
                let one = cases[number].next()
                let key = number * 3 + one.key
                guard let signature = ECDSASignature(der: one.der, on: ECDSACurve.allCases[number]) else { continue }
                expected.append(keys[key].verifies(one.der, of: one.digest) ? .valid : .invalid)
                checks.append(
                    SignatureCheck(
                        digest: MessageDigest(one.digest), signature: signature, key: verifiers[0].keys[key]))
            }
            for verifier in verifiers {
                #expect(verifier.verify(checks) == expected)
            }
        }
    }

    @Test("On every flipped bit of a public key", arguments: ECDSACurve.allCases)
    func agreesOnKeys(curve: ECDSACurve) throws {
        let cases = SignatureCases(group: OpenSSLGroup(curve), keyCount: 1, seed: Self.seed)
        let point = cases.keys[0]
        for bit in 0..<point.count * 8 {
            var changed = point
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let mine = try? ECDSAPublicKey(x963: changed, on: curve)
            // OpenSSL also reads the hybrid form, which begins with 0x06 or 0x07.
            let expected = changed[0] == 0x04 && OpenSSLKey(point: changed, on: curve) != nil
            #expect((mine != nil) == expected, "bit \(bit)")
        }
    }
}
