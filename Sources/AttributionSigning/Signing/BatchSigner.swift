package import Attribution

/// Signs many impressions together, and verifies all their signatures together before it returns any.
///
/// It holds one key list, so that everything it signs comes from the same one. Each thread or event loop has its own,
/// with its keys prepared once.
package final class BatchSigner {
    /// A signed impression, and which network used which key: an index of ``NetworkSigner/uses``.
    package struct Signed: Sendable {
        /// The impression with its verified signature.
        package let impression: SignedImpression
        /// The use of the key.
        package let use: Int
    }

    /// Makes what signs digests with a key.
    package typealias MakeDigestSigner = @Sendable (NetworkPrivateKey) throws -> any DigestSigner

    /// The key list.
    package let signer: NetworkSigner
    private var digestSigners: DigestSigners

    /// Makes a signer for one thread or event loop.
    ///
    /// - Parameters:
    ///   - signer: The key list.
    ///   - makeDigestSigner: Makes what signs digests with a key; it need not be reliable.
    package init(
        _ signer: NetworkSigner, makeDigestSigner: @escaping MakeDigestSigner = { try PreparedKey($0) }
    ) {
        self.signer = signer
        digestSigners = DigestSigners(makeDigestSigner)
    }

    /// Signs impressions.
    ///
    /// - Parameters:
    ///   - impressions: The impressions, of any networks and versions.
    ///   - external: What external signers answered.
    /// - Returns: For each, in the same order, the verified result; or ``KeyProblem`` for a network without a key,
    ///   ``ExternalSignatureNeeded``, ``SignerError/signatureDoesNotVerify``, or the error of the signer.
    package func sign(
        _ impressions: [Impression], with external: ExternalSignatures = [:]
    ) -> [Result<Signed, any Error>] {
        var unsigned = UnsignedImpressions()
        let uses = impressions.map { impression in
            Result { () throws -> Int in
                let (key, use) = try signer.location(of: impression)
                try unsigned.append(impression, signer.keys[key])
                return use
            }
        }
        var signed = unsigned.signed(by: &digestSigners, external).makeIterator()
        return uses.map { use in
            use.flatMap { use in
                switch signed.next() {
                case .success(let impression)?: .success(Signed(impression: impression, use: use))
                case .failure(let error)?: .failure(error)
                case nil: .failure(SignerError.signatureDoesNotVerify)
                }
            }
        }
    }
}
