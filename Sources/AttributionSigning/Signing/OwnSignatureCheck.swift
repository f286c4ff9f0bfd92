import Attribution
import FixedKeyECDSA
import Hashing

/// Verifies a network's own fresh signatures.
///
/// Precomputed tables are three times as fast as OpenSSL, which decides the cases they leave undecided.
struct OwnSignatureCheck: Sendable {
    private let publicKey: SignaturePublicKey
    private let tables: Tables?

    private struct Tables {
        let verifier: FixedKeyVerifier
        let key: FixedKey

        /// The verdict of the tables; nil if undecided.
        func verifies(_ der: [UInt8], _ digest: [UInt8]) -> Bool? {
            guard let signature = ECDSASignature(der: der.span, on: key.curve) else {
                return false
            }
            let check = SignatureCheck(digest: MessageDigest(digest.span), signature: signature, key: key)
            return verifier.verify(check).isValid
        }
    }

    /// Narrow windows, 0.8 MB per key: the tables of a dozen networks must not fill the caches, and single signatures
    /// gain little from wider ones.
    private static let windowWidth = 10

    /// A check by OpenSSL.
    init(_ publicKey: SignaturePublicKey) {
        self.publicKey = publicKey
        tables = nil
    }

    private init(_ publicKey: SignaturePublicKey, _ tables: Tables) {
        self.publicKey = publicKey
        self.tables = tables
    }

    /// The same checks with tables, which share that of the generator.
    ///
    /// - Parameter checks: Checks under any keys.
    /// - Returns: The checks, in the same order.
    /// - Throws: ``KeyTablesError`` if a key cannot have a table, or its table and OpenSSL disagree.
    static func withTables(_ checks: [OwnSignatureCheck]) throws(KeyTablesError) -> [OwnSignatureCheck] {
        var points: [ECDSAPublicKey] = []
        for check in checks {
            guard let point = check.publicKey.point else {
                throw .noPoint(key: check.name)
            }
            points.append(point)
        }
        let verifier = FixedKeyVerifier(publicKeys: points, windowWidth: windowWidth)
        var result: [OwnSignatureCheck] = []
        for (check, key) in zip(checks, verifier.keys) {
            let tables = Tables(verifier: verifier, key: key)
            let new = OwnSignatureCheck(check.publicKey, tables)
            guard let samples = check.publicKey.sampleSignatures(count: 16) else {
                throw .noSamples(key: check.name)
            }
            guard samples.allSatisfy({ tables.verifies($0.signature, $0.digest) == $0.isValid }) else {
                throw .disagreement(key: check.name)
            }
            result.append(new)
        }
        return result
    }

    /// Whether a DER signature over a SHA-256 digest verifies under the key.
    func verifies(_ signature: [UInt8], digest: [UInt8]) -> Bool {
        tables?.verifies(signature, digest) ?? publicKey.verifies(signature, digest: digest)
    }

    /// A fresh signature and how to verify it.
    struct Fresh {
        let check: OwnSignatureCheck
        let digest: SHA256Digest
        let signature: [UInt8]
        let encoding: SignatureEncoding
    }

    /// Whether fresh signatures verify, each under its key, all together: less than half of the time each takes alone.
    ///
    /// - Parameter fresh: Signatures whose checks all have tables of one ``withTables(_:)``, or none.
    /// - Returns: The verdicts, in the same order.
    static func verify(_ fresh: [Fresh]) -> [Bool] {
        var checks: [SignatureCheck] = []
        checks.reserveCapacity(fresh.count)
        // An unreadable signature is invalid.
        var verdicts = [Verdict](repeating: .invalid, count: fresh.count)
        var positions: [Int] = []
        positions.reserveCapacity(fresh.count)
        for (index, one) in fresh.enumerated() {
            guard let key = one.check.tables?.key else {
                verdicts[index] = .undecided
                continue
            }
            let signature =
                switch one.encoding {
                case .der: ECDSASignature(der: one.signature.span, on: key.curve)
                case .concatenated: ECDSASignature(raw: one.signature.span, on: key.curve)
                }
            if let signature {
                let digest = one.digest.withBytes { MessageDigest($0) }
                checks.append(SignatureCheck(digest: digest, signature: signature, key: key))
                positions.append(index)
            }
        }
        if let verifier = fresh.lazy.compactMap(\.check.tables).first?.verifier {
            for (index, verdict) in zip(positions, verifier.verify(checks)) {
                verdicts[index] = verdict
            }
        }
        return zip(fresh, verdicts).map { one, verdict in
            verdict.isValid
                ?? (one.check.publicKey.verdict(on: one.signature, one.encoding, digest: one.digest.bytes) == .valid)
        }
    }

    /// Whether two checks have the same key, and so can share a table.
    func isSameKey(as other: OwnSignatureCheck) -> Bool {
        publicKey.subjectPublicKeyInfo == other.publicKey.subjectPublicKeyInfo
    }

    /// The SHA-256 of the key in hexadecimal.
    var fingerprint: String {
        publicKey.fingerprint
    }

    private var name: String {
        "the network key SHA256:\(publicKey.fingerprint)"
    }
}
