package import Attribution

/// Signs for every network in a key list: each version of SKAdNetwork with its active key, AdAttributionKit with the
/// active key of the network's latest versions.
///
/// AdAttributionKit has no separate key, because Apple registers one P-256 key per network and both frameworks use it.
package struct NetworkSigner: Sendable {
    private struct Entry {
        let versions: ClosedRange<SKAdNetworkVersion>
        var signer: ImpressionSigner
    }

    /// The keys by registered network id, latest versions first.
    private var entries: [String: [Entry]] = [:]
    /// The networks it signs for, in the order of the list.
    package let networks: [BiddingNetwork]
    /// The fingerprints of the active keys.
    package let fingerprints: Set<String>

    /// Makes a signer with the active keys of a list; OpenSSL verifies its signatures.
    ///
    /// - Parameter keys: The list.
    /// - Throws: An error if OpenSSL cannot extract the public half of a key.
    package init(_ keys: NetworkKeySet) throws {
        var order: [AdNetworkID] = []
        for key in keys.entries {
            guard case .active(let privateKey) = key.use else {
                continue
            }
            let name = key.adNetworkID.registered
            if entries[name] == nil {
                order.append(key.adNetworkID)
            }
            entries[name, default: []].append(
                Entry(versions: key.versions, signer: try ImpressionSigner(privateKey)))
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

    /// Makes tables that verify its signatures three times as fast; this takes some milliseconds per key.
    ///
    /// - Throws: ``KeyTablesError``; OpenSSL then continues to verify.
    package mutating func prepareTables() throws(KeyTablesError) {
        var checks: [OwnSignatureCheck] = []
        for signer in entries.values.joined().map(\.signer) where !checks.contains(where: signer.check.isSameKey) {
            checks.append(signer.check)
        }
        let fast = try OwnSignatureCheck.withTables(checks)
        entries = entries.mapValues { entries in
            entries.map { entry in
                var entry = entry
                if let check = fast.first(where: entry.signer.check.isSameKey) {
                    entry.signer = entry.signer.checking(with: check)
                }
                return entry
            }
        }
    }

    /// Signs an impression with the active key of its network and version.
    ///
    /// - Parameter impression: The impression to sign.
    /// - Returns: The impression with its verified signature.
    /// - Throws: ``KeyProblem/noKey(adNetworkID:version:)``, and the errors of ``ImpressionSigner``.
    package func sign(_ impression: SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression {
        try signer(for: impression).sign(impression)
    }

    /// Signs an AdAttributionKit impression with the active key of its network's latest versions.
    ///
    /// - Parameter impression: The impression to sign.
    /// - Returns: The impression with its verified JWS.
    /// - Throws: ``KeyProblem/noAdAttributionKitKey(adNetworkID:)`` if no active key signs versions after 2.0, and the
    ///   errors of ``ImpressionSigner``.
    package func sign(_ impression: AdAttributionKitImpression) throws -> SignedAdAttributionKitImpression {
        try signer(for: impression).sign(impression)
    }

    /// The signer of an impression.
    ///
    /// - Parameter impression: The impression to sign.
    /// - Returns: The signer with the active key of its network and version.
    /// - Throws: ``KeyProblem/noKey(adNetworkID:version:)`` or ``KeyProblem/noAdAttributionKitKey(adNetworkID:)``.
    package func signer(for impression: Impression) throws(KeyProblem) -> ImpressionSigner {
        switch impression {
        case .skAdNetwork(let impression): try signer(for: impression)
        case .adAttributionKit(let impression): try signer(for: impression)
        }
    }

    private func signer(for impression: SKAdNetworkImpression) throws(KeyProblem) -> ImpressionSigner {
        let entry = entries[impression.adNetworkID.registered]?.first { $0.versions.contains(impression.version) }
        guard let entry else {
            throw .noKey(adNetworkID: impression.adNetworkID.text, version: impression.version)
        }
        return entry.signer
    }

    private func signer(for impression: AdAttributionKitImpression) throws(KeyProblem) -> ImpressionSigner {
        let entry = entries[impression.adNetworkIdentifier.registered]?.first
        guard let entry, entry.versions.upperBound > .v2_0 else {
            throw .noAdAttributionKitKey(adNetworkID: impression.adNetworkIdentifier.text)
        }
        return entry.signer
    }
}
