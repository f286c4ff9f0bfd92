public import Attribution

/// Signs for every network of a key list, each version with its active key.
public struct NetworkSigner: Sendable {
    private struct Entry {
        let adNetworkID: AdNetworkID
        let versions: ClosedRange<SKAdNetworkVersion>
        let signer: ImpressionSigner
    }

    private let entries: [Entry]

    /// Makes a signer of the active keys of a list.
    ///
    /// - Parameter keys: The list; keys that only verify are left out.
    /// - Throws: When OpenSSL cannot take the public half out of a key.
    public init(_ keys: NetworkKeySet) throws {
        entries = try keys.entries.filter(\.isActive).map {
            Entry(
                adNetworkID: $0.adNetworkID, versions: $0.versions, signer: try ImpressionSigner($0.privateKey))
        }
    }

    /// Signs an impression with the active key of its network and version.
    ///
    /// - Parameter impression: What is signed.
    /// - Returns: The impression with its signature, which was verified.
    /// - Throws: ``KeyProblem/noKey(adNetworkID:version:)``, there being no default key, and what ``ImpressionSigner``
    ///   throws.
    public func sign(_ impression: Impression) throws -> SignedImpression {
        let entry = entries.first {
            $0.adNetworkID == impression.adNetworkID && $0.versions.contains(impression.version)
        }
        guard let entry else {
            throw KeyProblem.noKey(adNetworkID: impression.adNetworkID.text, version: impression.version)
        }
        return try entry.signer.sign(impression)
    }
}
