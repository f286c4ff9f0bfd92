import FixedKeyECDSA
import Testing

@Suite("Concurrent use of a verifier")
struct ConcurrencyTests {
    @Test("Concurrent tasks get the same verdicts as a single task")
    func manyTasks() async throws {
        var cases = SignatureCases(group: OpenSSLGroup(.p256), keyCount: 2, seed: 17)
        let verifier = FixedKeyVerifier(
            publicKeys: try cases.keys.map { try ECDSAPublicKey(x963: $0, on: .p256) }, windowWidth: 8)
        var checks: [SignatureCheck] = []
        while checks.count < 500 {
            let one = cases.next()
            guard let signature = ECDSASignature(der: one.der, on: .p256) else { continue }
            let digest = MessageDigest(one.digest)
            checks.append(SignatureCheck(digest: digest, signature: signature, key: verifier.keys[one.key]))
        }
        let expected = verifier.verify(checks)
        #expect(Set(expected) == [.valid, .invalid])
        let questions = checks
        let answers = await withTaskGroup(of: [Verdict].self) { group in
            for number in 0..<16 {
                group.addTask { @concurrent in
                    number % 4 == 0 ? questions.map { verifier.verify($0) } : verifier.verify(questions)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 16)
        #expect(answers.allSatisfy { $0 == expected })
    }
}
