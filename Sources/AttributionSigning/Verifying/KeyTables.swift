import Attribution
import FixedKeyECDSA

/// Precomputed tables of known keys, with which verifying many signatures at once is several times as fast as with
/// OpenSSL.
///
/// OpenSSL decides the cases that the tables leave undecided. If the tables and OpenSSL disagree on any sample
/// signature at the start, the tables are not used.
final class KeyTables: Sendable {
    private let verifier: FixedKeyVerifier

    /// Makes the tables and compares them with OpenSSL.
    ///
    /// - Throws: ``KeyTablesError``; only OpenSSL can verify then.
    init(_ keys: [(name: String, key: SignaturePublicKey)], windowWidth: Int) throws(KeyTablesError) {
        var points: [ECDSAPublicKey] = []
        for (name, key) in keys {
            guard let point = key.point else {
                throw .noPoint(key: name)
            }
            points.append(point)
        }
        verifier = FixedKeyVerifier(publicKeys: points, windowWidth: windowWidth)
        for (index, (name, key)) in keys.enumerated() {
            try compareWithOpenSSL(key, name, at: index)
        }
    }

    /// Verifies many signatures at once.
    func verify(_ checks: [SignatureCheck]) -> [Verdict] {
        verifier.verify(checks)
    }

    /// Makes a check of a signature under the key at an index; nil if the signature is malformed or out of range, and
    /// so invalid.
    func check(
        _ digest: MessageDigest, _ bytes: [UInt8], _ encoding: SignatureEncoding, _ keyIndex: Int
    ) -> SignatureCheck? {
        let key = verifier.keys[keyIndex]
        return ECDSASignature(bytes, encoding, on: key.curve == .p256 ? .p256 : .p192).map { signature in
            SignatureCheck(digest: digest, signature: signature, key: key)
        }
    }

    /// Compares the verdicts of both on valid and invalid signatures, one by one and in a batch.
    private func compareWithOpenSSL(
        _ key: SignaturePublicKey, _ name: String, at keyIndex: Int
    ) throws(KeyTablesError) {
        guard let samples = key.sampleSignatures(count: 16) else {
            throw .noSamples(key: name)
        }
        let checks = samples.compactMap { check(MessageDigest($0.digest.span), $0.signature, .der, keyIndex) }
        guard checks.count == samples.count else {
            throw .disagreement(key: name)
        }
        let together = verifier.verify(checks)
        for (index, sample) in samples.enumerated() {
            let expected = key.verifies(sample.signature, digest: sample.digest)
            guard together[index].isValid == expected, verifier.verify(checks[index]).isValid == expected,
                expected == sample.isValid
            else {
                throw .disagreement(key: name)
            }
        }
    }
}

/// Why precomputed tables are not used, so that only OpenSSL verifies.
package enum KeyTablesError: Error, Hashable, Sendable {
    /// The key's point is not stored uncompressed.
    case noPoint(key: String)
    /// OpenSSL made no sample signatures to compare.
    case noSamples(key: String)
    /// The tables and OpenSSL disagree on a signature, because of a hardware fault or a bug.
    case disagreement(key: String)
}

extension KeyTablesError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noPoint(let key): "\(key) is not stored as an uncompressed point"
        case .noSamples(let key): "OpenSSL made no sample signatures for \(key)"
        case .disagreement(let key): "the precomputed tables of \(key) and OpenSSL disagree on a signature"
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

extension SignaturePublicKey {
    /// The uncompressed point at the end of the SubjectPublicKeyInfo; nil if the point is encoded differently.
    fileprivate var point: ECDSAPublicKey? {
        let (curve, size) = curve == .p256 ? (ECDSACurve.p256, 65) : (.p192, 49)
        let bytes = Array(subjectPublicKeyInfo.suffix(size))
        return try? ECDSAPublicKey(x963: bytes.span, on: curve)
    }
}
