package import Attribution

/// Signs for every network in a key list: each version of SKAdNetwork with its active key, AdAttributionKit with the
/// active key of the network's latest versions.
///
/// AdAttributionKit has no separate key, because Apple registers one P-256 key per network and both frameworks use it.
package struct NetworkSigner: Sendable {
    private struct Entry {
        let versions: ClosedRange<SKAdNetworkVersion>
        /// The index of its key among ``keys``, and of its use among ``uses``.
        let key: Int
        let use: Int
    }

    /// Keys that sign in the same way are one key.
    private enum KeyIdentity: Hashable {
        /// A key in this process, by its fingerprint.
        case own(String)
        case external(ExternalKey)
    }

    /// A network's use of a key, as metrics and logs name it.
    package struct KeyUse: Hashable, Sendable {
        /// The network's id as registered.
        package let network: String
        /// The first 16 digits of the key's fingerprint.
        package let key: String
    }

    /// The networks' entries by registered id, latest versions first.
    private var entries: [String: [Entry]] = [:]
    /// The active keys, each once.
    private(set) var keys: [ImpressionSigner] = []
    /// Which networks use which keys.
    package private(set) var uses: [KeyUse] = []
    /// The networks it signs for, in the order of the list.
    package let networks: [BiddingNetwork]
    /// Whether any of its keys is one of an external signer.
    package private(set) var hasExternalKeys = false
    /// The fingerprints of the active keys.
    package let fingerprints: Set<String>

    /// Makes a signer with the active keys of a list; OpenSSL verifies its signatures.
    ///
    /// - Throws: An error if OpenSSL cannot extract the public half of a key.
    package init(_ keys: NetworkKeySet) throws {
        var order: [AdNetworkID] = []
        var keyIndices: [KeyIdentity: Int] = [:]
        var useIndices: [KeyUse: Int] = [:]
        for key in keys.entries {
            guard case .active(let signingKey) = key.use else {
                continue
            }
            if case .external = signingKey {
                hasExternalKeys = true
            }
            let name = key.adNetworkID.registered
            if entries[name] == nil {
                order.append(key.adNetworkID)
            }
            let signer = try ImpressionSigner(signingKey)
            let identity: KeyIdentity =
                switch signingKey {
                case .own: .own(key.publicKey.fingerprint)
                case .external(let external): .external(external)
                }
            let keyIndex = keyIndices[identity] ?? self.keys.count
            if keyIndex == self.keys.count {
                keyIndices[identity] = keyIndex
                self.keys.append(signer)
            }
            let use = KeyUse(network: name, key: String(key.publicKey.fingerprint.prefix(16)))
            let useIndex = useIndices[use] ?? uses.count
            if useIndex == uses.count {
                useIndices[use] = useIndex
                uses.append(use)
            }
            entries[name, default: []].append(Entry(versions: key.versions, key: keyIndex, use: useIndex))
            entries[name]?.sort { $0.versions.upperBound > $1.versions.upperBound }
        }
        fingerprints = Set(keys.entries.lazy.filter(\.isActive).map(\.publicKey.fingerprint))
        let entries = entries
        networks = order.map { id in
            let ranges = (entries[id.registered] ?? []).map(\.versions)
            return BiddingNetwork(
                adNetworkID: id,
                registryID: keys.registryID(of: id),
                versions: SKAdNetworkVersion.allCases.filter { version in ranges.contains { $0.contains(version) } },
                signsForAdAttributionKit: ranges.contains { $0.upperBound > .v2_0 }
            )
        }
    }

    /// Makes tables that verify its signatures several times as fast; this takes some milliseconds per key.
    package mutating func prepareTables() throws(KeyTablesError) {
        let fast = try OwnSignatureCheck.withTables(keys.map(\.check))
        keys = zip(keys, fast).map { $0.checking(with: $1) }
    }

    /// Signs an impression with the active key of its network and version.
    ///
    /// - Throws: ``KeyProblem/noKey(adNetworkID:version:)``, and the errors of ``ImpressionSigner``.
    package func sign(_ impression: SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression {
        try signer(for: .skAdNetwork(impression)).sign(impression)
    }

    /// Signs an AdAttributionKit impression with the active key of its network's latest versions.
    ///
    /// - Throws: ``KeyProblem/noAdAttributionKitKey(adNetworkID:)`` if no active key signs versions after 2.0, and the
    ///   errors of ``ImpressionSigner``.
    package func sign(_ impression: AdAttributionKitImpression) throws -> SignedAdAttributionKitImpression {
        try signer(for: .adAttributionKit(impression)).sign(impression)
    }

    package func signer(for impression: Impression) throws(KeyProblem) -> ImpressionSigner {
        keys[try location(of: impression).key]
    }

    /// A signed impression, and which network used which key: an index of ``uses``.
    package struct Signed: Sendable {
        /// The impression with its verified signature.
        package let impression: SignedImpression
        /// The use of the key.
        package let use: Int
    }

    /// Signs impressions together, and verifies all their signatures together before it returns any.
    package func sign(
        _ impressions: [Impression], with external: ExternalSignatures = [:],
        signDigest: SignDigest = { try $0.signature(digest: $1) }
    ) -> [Result<Signed, any Error>] {
        var unsigned: [UnsignedImpression] = []
        unsigned.reserveCapacity(impressions.count)
        let uses = impressions.map { impression in
            Result { () throws -> Int in
                let (key, use) = try location(of: impression)
                unsigned.append(try UnsignedImpression(impression, keys[key]))
                return use
            }
        }
        var signed = unsigned.signed(with: external, signDigest: signDigest).makeIterator()
        return uses.map { use in
            use.flatMap { use in
                (signed.next() ?? .failure(SignerError.signatureDoesNotVerify))
                    .map { Signed(impression: $0, use: use) }
            }
        }
    }

    /// The active keys that external signers sign with, each once.
    package var externalKeys: Set<ExternalKey> {
        Set(keys.compactMap { if case .external(let key) = $0.key { key } else { nil } })
    }

    /// Whether there is a key in this process.
    package var hasOwnKey: Bool {
        keys.contains { if case .own = $0.key { true } else { false } }
    }

    /// The key that signs an impression.
    func location(of impression: Impression) throws(KeyProblem) -> (key: Int, use: Int) {
        let entries = entries[impression.adNetworkID.registered]
        switch impression {
        case .skAdNetwork(let impression):
            guard let entry = entries?.first(where: { $0.versions.contains(impression.version) }) else {
                throw .noKey(adNetworkID: impression.adNetworkID.text, version: impression.version)
            }
            return (entry.key, entry.use)
        case .adAttributionKit(let impression):
            guard let entry = entries?.first, entry.versions.upperBound > .v2_0 else {
                throw .noAdAttributionKitKey(adNetworkID: impression.adNetworkIdentifier.text)
            }
            return (entry.key, entry.use)
        }
    }
}
