/// What one thread signs digests with: the keys of this process, each prepared once, and the answers of external signers.
struct DigestSigners {
    private let makeDigestSigner: BatchSigner.MakeDigestSigner
    private var prepared: [SigningKey.ID: any DigestSigner] = [:]

    init(_ makeDigestSigner: @escaping BatchSigner.MakeDigestSigner) {
        self.makeDigestSigner = makeDigestSigner
    }

    /// Signs digests with a key.
    ///
    /// - Parameters:
    ///   - digests: The digests.
    ///   - key: The key.
    ///   - external: What external signers answered.
    /// - Returns: As a ``DigestSigner`` does.
    mutating func signatures(
        over digests: [[UInt8]], with key: SigningKey, _ external: ExternalSignatures
    ) -> [Result<[UInt8], any Error>] {
        switch key {
        case .own(let privateKey):
            do {
                let signer = try prepared[key.id] ?? makeDigestSigner(privateKey)
                let signatures = signer.signatures(over: digests)
                // One that fails is made anew for the next signatures.
                let isFaulty = signatures.contains { if case .failure = $0 { true } else { false } }
                prepared[key.id] = isFaulty ? nil : signer
                return signatures
            } catch {
                return digests.map { _ in .failure(error) }
            }
        case .external(let key):
            return digests.map { digest in Result { try external.signature(of: key, over: digest) } }
        }
    }

    /// Forgets what was prepared of a key: that with which a wrong signature was made may be damaged in memory.
    mutating func discard(_ key: SigningKey) {
        prepared[key.id] = nil
    }
}
