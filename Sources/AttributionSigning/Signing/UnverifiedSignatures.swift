import Attribution

/// New signatures over impressions of both frameworks, verified together.
struct UnverifiedSignatures {
    private enum Item {
        case skAdNetwork(UnverifiedSignature<SKAdNetworkImpression>)
        case adAttributionKit(UnverifiedSignature<AdAttributionKitImpression>)
    }

    private var items: [Item] = []
    /// Signing contexts of the keys that were used.
    private var prepared: [OpaquePointer: PreparedKey] = [:]

    var count: Int {
        items.count
    }

    /// Signs an impression, with a context that is prepared once for each key.
    ///
    /// - Parameters:
    ///   - impression: The impression.
    ///   - signer: The signer with its key.
    ///   - external: What external signers answered.
    /// - Throws: The errors of signing.
    mutating func append(_ impression: Impression, _ signer: ImpressionSigner, with external: ExternalSignatures) throws
    {
        switch signer.key {
        case .own(let privateKey):
            let id = privateKey.key.key.handle
            let key = try prepared[id] ?? PreparedKey(privateKey)
            // One that fails is made anew for the next signature.
            prepared[id] = nil
            try append(impression, signer, with: key)
            prepared[id] = key
        case .external(let key):
            try append(impression, signer, with: ExternalDigestSigner(key: key, signatures: external))
        }
    }

    /// Signs an impression.
    ///
    /// - Parameters:
    ///   - impression: The impression.
    ///   - signer: The signer with its key.
    ///   - digestSigner: What signs digests with the key.
    /// - Throws: The errors of signing.
    mutating func append(
        _ impression: Impression, _ signer: ImpressionSigner, with digestSigner: any DigestSigner
    ) throws {
        switch impression {
        case .skAdNetwork(let impression):
            items.append(.skAdNetwork(try signer.unverified(impression, with: digestSigner)))
        case .adAttributionKit(let impression):
            items.append(.adAttributionKit(try signer.unverified(impression, with: digestSigner)))
        }
    }

    /// Discards the signatures from an index on.
    mutating func removeAll(from index: Int) {
        items.removeSubrange(index...)
    }

    /// The signed impressions, in order, each with an error if its signature does not verify.
    func verified() -> [Result<SignedImpression, any Error>] {
        let verdicts = OwnSignatureCheck.verify(
            items.map { item in
                switch item {
                case .skAdNetwork(let new): (new.check, new.signature, new.digest)
                case .adAttributionKit(let new): (new.check, new.signature, new.digest)
                }
            })
        return zip(items, verdicts).map { item, isValid in
            Result { () throws -> SignedImpression in
                switch item {
                case .skAdNetwork(let new): .skAdNetwork(try new.signed(isValid: isValid))
                case .adAttributionKit(let new): .adAttributionKit(try new.signed(isValid: isValid))
                }
            }
        }
    }
}
