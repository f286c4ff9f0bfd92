import Attribution
import FixedKeyECDSA

/// Fast verification of many postbacks at once, with precomputed tables for known keys.
///
/// OpenSSL decides the cases that the tables leave undecided. If the tables and OpenSSL disagree on any sample
/// signature at the start, the tables are not used.
struct FixedKeyPath: Sendable {
    private let verifier: FixedKeyVerifier
    /// The verifier's keys, in the order given.
    private let fixedKeys: [FixedKey]

    /// 5 MB per table for P-256: narrower windows are slower, and wider ones fill the caches.
    private static let windowWidth = 13

    /// Makes the tables and compares them with OpenSSL.
    ///
    /// - Throws: ``KeyTablesError``; only OpenSSL can verify then.
    init(_ keys: [PostbackVerificationKey]) throws(KeyTablesError) {
        var publicKeys: [ECDSAPublicKey] = []
        for key in keys {
            guard let point = key.publicKey.point else {
                throw .noPoint(key: key.name)
            }
            publicKeys.append(point)
        }
        verifier = FixedKeyVerifier(publicKeys: publicKeys, windowWidth: Self.windowWidth)
        fixedKeys = verifier.keys
        for (index, key) in keys.enumerated() {
            try compareWithOpenSSL(key, at: index)
        }
    }

    /// Verifies many signatures at once.
    func verify(_ checks: [SignatureCheck]) -> [Verdict] {
        verifier.verify(checks)
    }

    /// Makes a check of a signature under the key at an index; nil if the signature is malformed or out of range, and
    /// so invalid.
    func check(
        _ digest: MessageDigest,
        _ bytes: [UInt8],
        _ encoding: SignatureEncoding,
        _ keyIndex: Int
    ) -> SignatureCheck? {
        let key = fixedKeys[keyIndex]
        let signature: ECDSASignature? =
            switch encoding {
            case .der: ECDSASignature(der: bytes.span, on: key.curve)
            case .concatenated: ECDSASignature(raw: bytes.span, on: key.curve)
            }
        return signature.map { SignatureCheck(digest: digest, signature: $0, key: key) }
    }

    /// Compares the verdicts of both on valid and invalid signatures, one by one and in a batch.
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
    /// Whether the signature is valid; nil if undecided.
    var isValid: Bool? {
        switch self {
        case .valid: true
        case .invalid: false
        case .undecided: nil
        }
    }
}

extension SignatureVerdict {
    /// The verdict of the tables; nil if undecided.
    init?(_ verdict: Verdict) {
        switch verdict {
        case .valid: self = .valid
        case .invalid: self = .invalid
        case .undecided: return nil
        }
    }
}

extension SignaturePublicKey {
    /// The uncompressed point at the end of the SubjectPublicKeyInfo; nil if the point is encoded differently.
    var point: ECDSAPublicKey? {
        let (curve, size) = curve == .p256 ? (ECDSACurve.p256, 65) : (.p192, 49)
        let bytes = Array(subjectPublicKeyInfo.suffix(size))
        return try? ECDSAPublicKey(x963: bytes.span, on: curve)
    }
}
