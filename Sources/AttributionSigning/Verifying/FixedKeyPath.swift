import Attribution
import FixedKeyECDSA

/// The fast way to verify: precomputed tables for the few keys there are, for many postbacks together.
///
/// OpenSSL stays the arbiter: of the cases the tables leave undecided, and at the start, where a disagreement over a
/// single signature puts this way out of use.
struct FixedKeyPath: Sendable {
    private let verifier: FixedKeyVerifier
    /// The verifier's names for the keys, in the order in which they were given.
    private let names: [FixedKey]

    /// 5 MB a table for P-256: narrower windows are slower alone, wider ones crowd out the rest of the server.
    private static let windowWidth = 13

    /// Makes the tables and compares them with OpenSSL.
    ///
    /// - Throws: ``KeyTablesError``; then OpenSSL alone has to do.
    init(_ keys: [PostbackVerificationKey]) throws(KeyTablesError) {
        var publicKeys: [ECDSAPublicKey] = []
        for key in keys {
            guard let point = key.publicKey.point else {
                throw .noPoint(key: key.name)
            }
            publicKeys.append(point)
        }
        verifier = FixedKeyVerifier(publicKeys: publicKeys, windowWidth: Self.windowWidth)
        names = verifier.keys
        for (index, key) in keys.enumerated() {
            try compareWithOpenSSL(key, at: index)
        }
    }

    /// Answers questions together.
    func verify(_ checks: [SignatureCheck]) -> [Verdict] {
        verifier.verify(checks)
    }

    /// The question whether a signature verifies under the key at an index; nil for what is not strictly of its encoding
    /// or out of range, and so invalid.
    func check(
        _ digest: MessageDigest,
        _ bytes: [UInt8],
        _ encoding: SignatureEncoding,
        _ keyIndex: Int
    ) -> SignatureCheck? {
        let name = names[keyIndex]
        let signature: ECDSASignature? =
            switch encoding {
            case .der: ECDSASignature(der: bytes.span, on: name.curve)
            case .concatenated: ECDSASignature(raw: bytes.span, on: name.curve)
            }
        return signature.map { SignatureCheck(digest: digest, signature: $0, key: name) }
    }

    /// Puts valid and invalid signatures to both, alone and together; each must get the same answer.
    private func compareWithOpenSSL(_ key: PostbackVerificationKey, at keyIndex: Int) throws(KeyTablesError) {
        guard let samples = key.publicKey.sampleSignatures(count: 16) else {
            throw .noSamples(key: key.name)
        }
        let checks = samples.compactMap { check(MessageDigest($0.digest.span), $0.signature, .der, keyIndex) }
        guard checks.count == samples.count else {
            throw .disagreement(key: key.name)
        }
        let together = verifier.verify(checks)
        for (index, sample) in samples.enumerated() {
            let expected = key.publicKey.verifies(sample.signature, digest: sample.digest)
            guard together[index].isValid == expected, verifier.verify(checks[index]).isValid == expected,
                expected == sample.isValid
            else {
                throw .disagreement(key: key.name)
            }
        }
    }
}

extension Verdict {
    /// Whether the signature is the key holder's; nil when the tables do not decide.
    var isValid: Bool? {
        switch self {
        case .valid: true
        case .invalid: false
        case .undecided: nil
        }
    }
}

extension SignatureVerdict {
    /// What the tables say; nil when they do not decide.
    init?(_ verdict: Verdict) {
        switch verdict {
        case .valid: self = .valid
        case .invalid: self = .invalid
        case .undecided: return nil
        }
    }
}

extension SignaturePublicKey {
    /// The key as an uncompressed point, with which a SubjectPublicKeyInfo ends; nil for another encoding of the point.
    var point: ECDSAPublicKey? {
        let (curve, size) = curve == .p256 ? (ECDSACurve.p256, 65) : (.p192, 49)
        let bytes = Array(subjectPublicKeyInfo.suffix(size))
        return try? ECDSAPublicKey(x963: bytes.span, on: curve)
    }
}
