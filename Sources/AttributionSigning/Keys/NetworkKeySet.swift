package import Attribution
import Foundation
import StrictJSON

/// The keys of one or more ad networks, as a JSON file lists them: one id may sign old versions with P-192 and later
/// ones with P-256, and an old key may stay listed after a new one took over.
///
/// The file is an object with one array, `keys`; paths are relative to it:
///
///     {"keys": [{"ad-network-id": "example123.skadnetwork", "file": "p256.pem",
///                "versions": "2.1-4.0", "use": "active", "registry-id": 306}]}
///
/// `registry-id` is optional: the network's number in the IAB Tech Lab's registry, by which bid requests may name it.
/// AdAttributionKit has no key of its own: see ``NetworkSigner``.
package struct NetworkKeySet: Sendable {
    /// One key of the list.
    package struct Entry: Sendable {
        /// The network it belongs to.
        package let adNetworkID: AdNetworkID
        /// The versions it signs.
        package let versions: ClosedRange<SKAdNetworkVersion>
        /// Whether it signs, or only verifies what it signed before.
        package let isActive: Bool
        /// The file it was read from.
        package let file: String
        /// The network's number in the IAB Tech Lab's registry of SKAdNetwork ids.
        package let registryID: Int64?
        /// The key.
        package let privateKey: NetworkPrivateKey
    }

    /// The keys in the order of the file.
    package let entries: [Entry]

    /// Reads a list and every key file it names.
    ///
    /// - Throws: ``KeyProblem`` for the first key or rule broken: keys others can read, a
    ///   curve that does not sign the versions given, two active keys for one version.
    package init(file: String) throws(KeyProblem) {
        let text = try KeyFile.readList(file)
        let list: KeyList
        do {
            list = try JSONDecoder().decode(KeyList.self, from: Data(text.utf8))
        } catch DecodingError.dataCorrupted(let context) where context.underlyingError is UnknownMember {
            throw .keySet(file: file, reason: context.debugDescription)
        } catch {
            throw .keySet(file: file, reason: "expected {\"keys\": [...]} with ad-network-id, file, versions, use")
        }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        var entries: [Entry] = []
        for (index, item) in list.keys.enumerated() {
            let place = "key \(index + 1)"
            guard let adNetworkID = AdNetworkID(item.adNetworkID) else {
                throw .keySet(file: file, reason: "\(place): ad-network-id is empty or has control characters")
            }
            guard let versions = Self.versions(item.versions) else {
                throw .keySet(
                    file: file, reason: "\(place): versions is \"\(item.versions)\", expected for example 2.1-4.0")
            }
            let path = URL(fileURLWithPath: item.file, relativeTo: folder).path
            let key = try NetworkPrivateKey(file: path)
            guard key.curve == .p256 || versions.upperBound <= .v2_0 else {
                throw .wrongCurve(key.curve, version: versions.upperBound)
            }
            let entry = Entry(
                adNetworkID: adNetworkID, versions: versions, isActive: item.use == .active, file: path,
                registryID: item.registryID, privateKey: key)
            let rival = entries.first {
                $0.isActive && entry.isActive && $0.adNetworkID.registered == adNetworkID.registered
                    && $0.versions.overlaps(versions)
            }
            guard rival == nil else {
                throw .keySet(
                    file: file,
                    reason: "\(place): a second active key for \(adNetworkID) and the same version; "
                        + "set one to \"verify-only\"")
            }
            try Self.checkRegistryID(of: entry, among: entries, at: place, in: file)
            entries.append(entry)
        }
        self.entries = entries
    }

    /// The active key for a network and a version.
    ///
    /// - Throws: ``KeyProblem/noKey(adNetworkID:version:)``; there is no default key.
    package func activeKey(
        for adNetworkID: AdNetworkID,
        version: SKAdNetworkVersion
    ) throws(KeyProblem) -> NetworkPrivateKey {
        let entry = entries.first {
            $0.isActive && $0.adNetworkID.registered == adNetworkID.registered && $0.versions.contains(version)
        }
        guard let entry else {
            throw .noKey(adNetworkID: adNetworkID.text, version: version)
        }
        return entry.privateKey
    }

    /// The network's number in the IAB Tech Lab's registry, from any of its keys; nil when none says it.
    func registryID(of adNetworkID: AdNetworkID) -> Int64? {
        entries.lazy.filter { $0.adNetworkID.registered == adNetworkID.registered }.compactMap(\.registryID).first
    }

    /// A number names one network, and a network has one number.
    private static func checkRegistryID(
        of entry: Entry, among others: [Entry], at place: String, in file: String
    ) throws(KeyProblem) {
        guard let number = entry.registryID else {
            return
        }
        guard number > 0 else {
            throw .keySet(file: file, reason: "\(place): registry-id is \(number), expected a number from 1")
        }
        for other in others {
            guard let known = other.registryID else {
                continue
            }
            guard (known == number) == (other.adNetworkID.registered == entry.adNetworkID.registered) else {
                throw .keySet(
                    file: file,
                    reason: "\(place): registry-id \(number) of \(entry.adNetworkID), but \(known) of "
                        + "\(other.adNetworkID) above; a network has one number, and a number one network")
            }
        }
    }

    private static func versions(_ text: String) -> ClosedRange<SKAdNetworkVersion>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
            .map { SKAdNetworkVersion(rawValue: String($0)) }
        guard let first = ends.first, let lower = first, ends.count <= 2, let upper = ends[ends.count - 1],
            lower <= upper
        else {
            return nil
        }
        return lower...upper
    }

    /// A member of the file that means nothing, such as a name with a slip of the pen.
    private struct UnknownMember: Error {}

    /// Refuses members whose names are not known.
    private static func refuseUnknownMembers(of decoder: any Decoder, known: [String]) throws {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) {
                self.stringValue = stringValue
            }

            init?(intValue: Int) {
                return nil
            }
        }
        let names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        guard let unknown = names.sorted().first(where: { !known.contains($0) }) else {
            return
        }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "\"\(unknown.shortened(to: 60))\" is no member; expected "
                    + known.joined(separator: ", "),
                underlyingError: UnknownMember()))
    }

    private struct KeyList: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case keys
        }

        init(from decoder: any Decoder) throws {
            try NetworkKeySet.refuseUnknownMembers(of: decoder, known: CodingKeys.allCases.map(\.rawValue))
            keys = try decoder.container(keyedBy: CodingKeys.self).decode([Item].self, forKey: .keys)
        }

        struct Item: Decodable {
            enum Use: String, Decodable {
                case active
                case verifyOnly = "verify-only"
            }

            enum CodingKeys: String, CodingKey, CaseIterable {
                case adNetworkID = "ad-network-id"
                case registryID = "registry-id"
                case file, versions, use
            }

            let adNetworkID: String
            let file: String
            let versions: String
            let use: Use
            let registryID: Int64?

            init(from decoder: any Decoder) throws {
                try NetworkKeySet.refuseUnknownMembers(of: decoder, known: CodingKeys.allCases.map(\.rawValue))
                let members = try decoder.container(keyedBy: CodingKeys.self)
                adNetworkID = try members.decode(String.self, forKey: .adNetworkID)
                file = try members.decode(String.self, forKey: .file)
                versions = try members.decode(String.self, forKey: .versions)
                use = try members.decode(Use.self, forKey: .use)
                registryID = try members.decodeIfPresent(Int64.self, forKey: .registryID)
            }
        }

        let keys: [Item]
    }
}
