import Attribution
import Hashing

/// Impressions of both frameworks, which are signed together and whose signatures are verified together.
struct UnsignedImpressions: ~Copyable {
    private enum Item {
        case skAdNetwork(UnsignedImpression<SKAdNetworkImpression>)
        case adAttributionKit(UnsignedImpression<AdAttributionKitImpression>)

        var signer: ImpressionSigner {
            switch self {
            case .skAdNetwork(let impression): impression.signer
            case .adAttributionKit(let impression): impression.signer
            }
        }

        var digest: [UInt8] {
            switch self {
            case .skAdNetwork(let impression): impression.digest
            case .adAttributionKit(let impression): impression.digest
            }
        }

        func signed(with signature: [UInt8], isValid: Bool) throws -> SignedImpression {
            switch self {
            case .skAdNetwork(let impression):
                .skAdNetwork(try impression.signed(with: signature, isValid: isValid))
            case .adAttributionKit(let impression):
                .adAttributionKit(try impression.signed(with: signature, isValid: isValid))
            }
        }
    }

    private var items: [Item] = []
    /// One for all their digests.
    private var hash = SHA256()

    var count: Int {
        items.count
    }

    /// Adds an impression.
    ///
    /// - Parameters:
    ///   - impression: The impression.
    ///   - signer: The signer with its key.
    /// - Throws: ``KeyProblem`` if the key cannot sign it.
    mutating func append(_ impression: Impression, _ signer: ImpressionSigner) throws(KeyProblem) {
        switch impression {
        case .skAdNetwork(let impression): items.append(.skAdNetwork(try UnsignedImpression(impression, signer, &hash)))
        case .adAttributionKit(let impression):
            items.append(.adAttributionKit(try UnsignedImpression(impression, signer, &hash)))
        }
    }

    /// Removes the impressions from an index on.
    mutating func removeAll(from index: Int) {
        items.removeSubrange(index...)
    }

    /// Signs them.
    ///
    /// - Parameters:
    ///   - digestSigners: What signs with the keys.
    ///   - external: What external signers answered.
    /// - Returns: The signed impressions, in order, each with an error if there is no signature or it does not verify.
    func signed(
        by digestSigners: inout DigestSigners, _ external: ExternalSignatures
    ) -> [Result<SignedImpression, any Error>] {
        var results: [Result<SignedImpression, any Error>] = Array(
            repeating: .failure(SignerError.signatureDoesNotVerify), count: items.count)
        var made: [(index: Int, signature: [UInt8])] = []
        made.reserveCapacity(items.count)
        for indices in Dictionary(grouping: items.indices, by: { items[$0].signer.key.id }).values {
            let key = items[indices[0]].signer.key
            let signatures = digestSigners.signatures(over: indices.map { items[$0].digest }, with: key, external)
            for (index, signature) in zip(indices, signatures) {
                switch signature {
                case .success(let signature): made.append((index, signature))
                case .failure(let error): results[index] = .failure(error)
                }
            }
        }
        let verdicts = OwnSignatureCheck.verify(
            made.map { (items[$0.index].signer.check, $0.signature, items[$0.index].digest) })
        for ((index, signature), isValid) in zip(made, verdicts) {
            if !isValid {
                digestSigners.discard(items[index].signer.key)
            }
            results[index] = Result { try items[index].signed(with: signature, isValid: isValid) }
        }
        return results
    }
}
