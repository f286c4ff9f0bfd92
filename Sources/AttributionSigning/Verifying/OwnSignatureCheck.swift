import Attribution
import FixedKeyECDSA

/// Verifies a network's own fresh signatures, with tables once they are made.
struct OwnSignatureCheck: Sendable {
    private let publicKey: SignaturePublicKey
    /// The tables of the keys that were prepared together, and the index of the key.
    private let tables: (set: KeyTables, index: Int)?

    /// A check by OpenSSL.
    init(_ publicKey: SignaturePublicKey) {
        self.init(publicKey, nil)
    }

    private init(_ publicKey: SignaturePublicKey, _ tables: (set: KeyTables, index: Int)?) {
        self.publicKey = publicKey
        self.tables = tables
    }

    /// The same checks with tables, which share that of the generator.
    static func withTables(_ checks: [OwnSignatureCheck]) throws(KeyTablesError) -> [OwnSignatureCheck] {
        let keys = checks.map { ("the network key SHA256:\($0.publicKey.fingerprint)", $0.publicKey) }
        // 0.8 MB per key, so that the tables of a dozen networks do not fill the caches, but 2.7 MB where there are few
        // keys, which saves an eighth of the time.
        let set = try KeyTables(keys, windowWidth: keys.count <= 4 ? 12 : 10)
        return checks.enumerated().map { OwnSignatureCheck($1.publicKey, (set, $0)) }
    }

    /// Whether a DER signature over a SHA-256 digest verifies under the key.
    func verifies(_ signature: [UInt8], digest: [UInt8]) -> Bool {
        Self.verify([(self, signature, digest)])[0]
    }

    /// Whether DER signatures over SHA-256 digests verify, each under its own key; many at once take less time each.
    static func verify(_ items: [(check: OwnSignatureCheck, signature: [UInt8], digest: [UInt8])]) -> [Bool] {
        var verdicts: [Bool?] = Array(repeating: nil, count: items.count)
        let groups = Dictionary(grouping: items.indices) { items[$0].check.tables.map { ObjectIdentifier($0.set) } }
        for indices in groups.values {
            guard let set = items[indices[0]].check.tables?.set else {
                continue
            }
            var checked: [Int] = []
            var checks: [SignatureCheck] = []
            for index in indices {
                let item = items[index]
                guard let key = item.check.tables?.index,
                    let check = set.check(MessageDigest(item.digest.span), item.signature, .der, key)
                else {
                    verdicts[index] = false
                    continue
                }
                checked.append(index)
                checks.append(check)
            }
            for (index, verdict) in zip(checked, set.verify(checks)) {
                verdicts[index] = verdict.isValid
            }
        }
        // OpenSSL decides for keys without tables, and where these are undecided.
        return zip(items, verdicts).map { item, verdict in
            verdict ?? item.check.publicKey.verifies(item.signature, digest: item.digest)
        }
    }
}
