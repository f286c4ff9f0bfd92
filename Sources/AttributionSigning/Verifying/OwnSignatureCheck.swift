import FixedKeyECDSA

/// Verifies a network's own fresh signatures.
///
/// Precomputed tables are several times as fast as OpenSSL, which decides the cases they leave undecided.
struct OwnSignatureCheck: Sendable {
    private let publicKey: SignaturePublicKey
    private let tables: Tables?

    /// The tables of the keys that were prepared together.
    private final class TableSet: Sendable {
        let verifier: FixedKeyVerifier

        init(_ verifier: FixedKeyVerifier) {
            self.verifier = verifier
        }
    }

    private struct Tables {
        let set: TableSet
        let key: FixedKey

        /// The check of a signature; nil for one that is not DER on the key's curve.
        func check(_ der: [UInt8], _ digest: [UInt8]) -> SignatureCheck? {
            guard let signature = ECDSASignature(der: der.span, on: key.curve) else {
                return nil
            }
            return SignatureCheck(digest: MessageDigest(digest.span), signature: signature, key: key)
        }

        /// The verdict of the tables; nil if undecided.
        func verifies(_ der: [UInt8], _ digest: [UInt8]) -> Bool? {
            guard let check = check(der, digest) else {
                return false
            }
            return set.verifier.verify(check).isValid
        }
    }

    /// The width of windows: 0.8 MB per key, so that the tables of a dozen networks do not fill the caches, but 2.7 MB
    /// where there are few keys, which saves an eighth of the time.
    private static func windowWidth(keys: Int) -> Int {
        keys <= 4 ? 12 : 10
    }

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
        let verifier = FixedKeyVerifier(publicKeys: points, windowWidth: windowWidth(keys: points.count))
        let set = TableSet(verifier)
        var result: [OwnSignatureCheck] = []
        for (check, key) in zip(checks, verifier.keys) {
            let tables = Tables(set: set, key: key)
            let new = OwnSignatureCheck(check.publicKey, tables)
            guard let samples = check.publicKey.sampleSignatures(count: 16) else {
                throw .noSamples(key: check.name)
            }
            let together = verify(samples.map { (new, $0.signature, $0.digest) })
            guard samples.allSatisfy({ tables.verifies($0.signature, $0.digest) == $0.isValid }),
                together == samples.map(\.isValid)
            else {
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

    /// Whether DER signatures over SHA-256 digests verify, each under its own key; many at once take less time each.
    static func verify(_ items: [(check: OwnSignatureCheck, signature: [UInt8], digest: [UInt8])]) -> [Bool] {
        var verdicts: [Bool?] = Array(repeating: nil, count: items.count)
        var pending = Array(items.indices)
        // Nearly always the keys of all have their tables in one set.
        while let set = pending.lazy.compactMap({ items[$0].check.tables?.set }).first {
            var others: [Int] = []
            var indices: [Int] = []
            var checks: [SignatureCheck] = []
            indices.reserveCapacity(pending.count)
            checks.reserveCapacity(pending.count)
            for index in pending {
                let item = items[index]
                guard let tables = item.check.tables, tables.set === set else {
                    others.append(index)
                    continue
                }
                if let check = tables.check(item.signature, item.digest) {
                    indices.append(index)
                    checks.append(check)
                } else {
                    verdicts[index] = false
                }
            }
            for (index, verdict) in zip(indices, set.verifier.verify(checks)) {
                verdicts[index] = verdict.isValid
            }
            pending = others
        }
        return zip(items, verdicts).map { item, verdict in
            verdict ?? item.check.publicKey.verifies(item.signature, digest: item.digest)
        }
    }

    /// The SHA-256 of the key in hexadecimal.
    var fingerprint: String {
        publicKey.fingerprint
    }

    private var name: String {
        "the network key SHA256:\(publicKey.fingerprint)"
    }
}
