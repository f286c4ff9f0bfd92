import Attribution
import AttributionSigning
import Hashing
import Testing

@Suite("A prepared key")
struct PreparedKeyTests {
    private static func digests(_ count: Int) -> [[UInt8]] {
        (0..<count).map { SHA256.digest(of: Array("\($0)".utf8)).bytes }
    }

    /// None, few, and on both sides of what is signed in one call.
    static let counts = [0, 1, 2, 3, 4, 5, 64, 255, 256, 257, 259, 260, 600, 4, 256]

    @Test("OpenSSL verifies each of its signatures, in the order of the digests", arguments: SignatureCurve.allCases)
    func valid(_ curve: SignatureCurve) throws {
        let privateKey = try NetworkPrivateKey.generate(curve)
        let publicKey = try privateKey.publicKey()
        let key = try PreparedKey(privateKey)
        // One after the other with the same key, so that nothing of a call remains for the next.
        for count in Self.counts {
            let digests = Self.digests(count)
            let signatures = try key.signatures(over: digests).map { try $0.get() }
            #expect(signatures.count == count)
            for (digest, signature) in zip(digests, signatures) {
                #expect(publicKey.verifies(signature, digest: digest))
            }
        }
    }

    /// ``PreparedKey`` falls back to signing one by one, which would hide a failure here.
    @Test("OpenSSL verifies what was signed together", arguments: SignatureCurve.allCases)
    func together(_ curve: SignatureCurve) throws {
        let privateKey = try NetworkPrivateKey.generate(curve)
        let publicKey = try privateKey.publicKey()
        let inversions = try SharedInversions(privateKey)
        for count in [1, 2, 3, 0, SharedInversions.capacity, 2] {
            let digests = Self.digests(count)
            let signatures = try inversions.signatures(over: digests[...])
            #expect(signatures.count == count)
            for (digest, signature) in zip(digests, signatures) {
                #expect(publicKey.verifies(signature, digest: digest))
            }
        }
    }

    @Test("No two signatures have the same nonce, be their digests the same or not")
    func nonces() throws {
        let key = try PreparedKey(NetworkPrivateKey.generate(.p256))
        let digests = Self.digests(100)
        var values: Set<ArraySlice<UInt8>> = []
        for _ in 0..<20 {
            for signature in key.signatures(over: digests + digests) {
                // r of the nonce's point, which two signatures share only with their nonce.
                let signature = try signature.get()
                values.insert(signature[4..<4 + Int(signature[3])])
            }
        }
        #expect(values.count == 20 * 200)
    }

    @Test("Digests of all zeros and all ones are signed like any other")
    func edges() throws {
        let privateKey = try NetworkPrivateKey.generate(.p256)
        let publicKey = try privateKey.publicKey()
        let digests = Self.digests(4) + [Array(repeating: 0, count: 32), Array(repeating: 0xFF, count: 32)]
        for (digest, signature) in zip(digests, try PreparedKey(privateKey).signatures(over: digests)) {
            #expect(publicKey.verifies(try signature.get(), digest: digest))
        }
    }
}
