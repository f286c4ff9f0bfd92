package import Attribution
import Hashing
import StrictJSON

/// Signs many impressions at a time on one thread, and verifies all their signatures together before it returns any.
///
/// It holds one key list, so that everything it signs comes from the same one. Each thread has its own.
package final class BatchSigner {
    /// A signed impression, and which network used which key: an index of ``NetworkSigner/uses``.
    package struct Signed: Sendable {
        /// The impression with its verified signature.
        package let impression: SignedImpression
        /// The use of the key.
        package let use: Int
    }

    /// The key list.
    package let signer: NetworkSigner
    private let makeSigner: @Sendable (NetworkPrivateKey) throws -> any DigestSigner
    private var keys: [(any DigestSigner)?]
    private var hash = SHA256()

    /// Makes a signer for one thread.
    ///
    /// - Parameters:
    ///   - signer: The key list.
    ///   - makeSigner: Makes what signs digests with a key.
    package init(
        _ signer: NetworkSigner,
        makingSigners makeSigner: @escaping @Sendable (NetworkPrivateKey) throws -> any DigestSigner = {
            try PreparedKey($0)
        }
    ) {
        self.signer = signer
        self.makeSigner = makeSigner
        keys = Array(repeating: nil, count: signer.keys.count)
    }

    /// Signs impressions.
    ///
    /// - Parameter impressions: The impressions, of any networks and versions.
    /// - Returns: For each, in the same order, the verified result; or ``KeyProblem`` for a network without a key,
    ///   ``SignerError/signatureDoesNotVerify``, or the error of the signer.
    package func sign(_ impressions: [Impression]) -> [Result<Signed, any Error>] {
        var pending: [Result<Unverified, any Error>] = []
        var fresh: [OwnSignatureCheck.Fresh] = []
        pending.reserveCapacity(impressions.count)
        fresh.reserveCapacity(impressions.count)
        for impression in impressions {
            do {
                let unverified = try unverified(impression)
                fresh.append(unverified.fresh)
                pending.append(.success(unverified))
            } catch {
                pending.append(.failure(error))
            }
        }
        var verdicts = OwnSignatureCheck.verify(fresh)[...]
        return pending.map { result in
            result.flatMap { unverified in
                guard verdicts.popFirst() == true else {
                    return .failure(SignerError.signatureDoesNotVerify)
                }
                return .success(unverified.verified())
            }
        }
    }

    /// An impression with a signature that must not leave yet.
    private struct Unverified {
        let impression: Impression
        let use: Int
        /// The text of a JWS before its signature; empty for SKAdNetwork.
        let signingInput: String
        let fresh: OwnSignatureCheck.Fresh

        /// The signed impression; called once the signature has verified.
        func verified() -> Signed {
            let signed: SignedImpression =
                switch impression {
                case .skAdNetwork(let impression):
                    .skAdNetwork(
                        SignedSKAdNetworkImpression(
                            impression: impression, attributionSignature: Base64.encode(fresh.signature)))
                case .adAttributionKit(let impression):
                    .adAttributionKit(
                        SignedAdAttributionKitImpression(
                            impression: impression, compactJWS: signingInput + "." + Base64URL.encode(fresh.signature)))
                }
            return Signed(impression: signed, use: use)
        }
    }

    private func unverified(_ impression: Impression) throws -> Unverified {
        let (keyIndex, use) = try signer.location(of: impression)
        var signingInput = ""
        let encoding: SignatureEncoding
        switch impression {
        case .skAdNetwork(let impression):
            hash.update(impression.signedText.utf8)
            encoding = .der
        case .adAttributionKit(let impression):
            signingInput = impression.signingInput
            hash.update(Array(signingInput.utf8))
            encoding = .concatenated
        }
        let digest = hash.finish()
        let key = try keys[keyIndex] ?? makeSigner(signer.keys[keyIndex].privateKey)
        // A signer that fails is made anew for the next signature.
        keys[keyIndex] = nil
        var signature = try key.signature(digest: digest.bytes)
        keys[keyIndex] = key
        if encoding == .concatenated {
            // What is verified is what leaves: r‖s.
            guard let concatenated = ConcatenatedSignature.concatenated(signature) else {
                throw SignerError.signatureDoesNotVerify
            }
            signature = concatenated
        }
        return Unverified(
            impression: impression, use: use, signingInput: signingInput,
            fresh: OwnSignatureCheck.Fresh(
                check: signer.keys[keyIndex].check, digest: digest, signature: signature, encoding: encoding))
    }
}
