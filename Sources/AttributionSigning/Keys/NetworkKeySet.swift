package import Attribution
import Foundation

/// The keys of one or more ad networks, from a JSON file.
///
/// A network may sign old versions with P-192 and later ones with P-256, and a replaced key may stay listed. The file
/// is an object with one array, `keys`; paths are relative to the file:
///
///     {"keys": [{"ad-network-id": "example123.skadnetwork", "file": "p256.pem",
///                "versions": "2.1-4.0", "use": "active", "registry-id": 306}]}
///
/// With `signer`, `unix:` and the path of a Unix socket, an external signer holds the private half, which it calls
/// `key-id`; `file` then has the public half.
///
/// `registry-id` is optional: the network's number in the IAB Tech Lab's registry, which bid requests may use.
/// AdAttributionKit has no separate key: see ``NetworkSigner``.
package struct NetworkKeySet: Sendable {
    /// What a key in the list may do.
    package enum Use: Sendable {
        /// It signs.
        case active(SigningKey)
        /// It no longer signs; its file may have only the public half.
        case verifyOnly
    }

    /// A key in the list.
    package struct Entry: Sendable {
        /// The network it belongs to.
        package let adNetworkID: AdNetworkID
        /// The versions it signs.
        package let versions: ClosedRange<SKAdNetworkVersion>
        /// Whether it signs, and with what if so.
        package let use: Use
        /// The file it was read from.
        package let file: String
        /// The network's number in the IAB Tech Lab's registry of SKAdNetwork ids.
        package let registryID: Int64?
        /// The public half.
        package let publicKey: SignaturePublicKey

        /// Whether it signs.
        package var isActive: Bool {
            if case .active = use { true } else { false }
        }

        /// Whether it signs and who signs with it, in words: `active`, `verify-only`, or `active at` and a socket.
        package var useInWords: String {
            switch use {
            case .active(.own): "active"
            case .active(.external(let key)): "active at unix:\(key.socket) as \(key.id)"
            case .verifyOnly: "verify-only"
            }
        }
    }

    /// The keys in the order of the file.
    package let entries: [Entry]
    private let registry: Registry

    /// Reads a list and every key file it names.
    ///
    /// - Throws: ``KeyProblem`` for the first problem, such as a private key that others can read, a curve that cannot
    ///   sign the versions, or two active keys for one version.
    package init(file: String) throws(KeyProblem) {
        let bytes = try KeyFile.list(file)
        let list: NetworkKeyFile
        do throws(DocumentProblem) {
            list = try NetworkKeyFile(reading: bytes)
        } catch {
            throw .keySet(file: file, error)
        }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        var entries: [Entry] = []
        var activeVersions: [String: [ClosedRange<SKAdNetworkVersion>]] = [:]
        var registry = Registry()
        for item in list.keys {
            let path = URL(fileURLWithPath: item.file, relativeTo: folder).path
            let signer = item.signer.map { (URL(fileURLWithPath: $0.path, relativeTo: folder).path, $0.keyID) }
            let (use, publicKey) = try Self.key(file: path, item.use, signer: signer)
            guard publicKey.curve == .p256 || item.versions.upperBound <= .v2_0 else {
                throw .wrongCurve(publicKey.curve, version: item.versions.upperBound)
            }
            let entry = Entry(
                adNetworkID: item.adNetworkID, versions: item.versions, use: use, file: path,
                registryID: item.registryID, publicKey: publicKey)
            if entry.isActive {
                let network = entry.adNetworkID.registered
                guard !activeVersions[network, default: []].contains(where: entry.versions.overlaps) else {
                    throw .keySet(
                        file: file,
                        item.fields.problem(
                            "use", found: "a second active key for \(entry.adNetworkID) and the same version",
                            expected: "one", cure: "set one of them to \"verify-only\""))
                }
                activeVersions[network, default: []].append(entry.versions)
            }
            do throws(DocumentProblem) {
                try registry.note(entry, item.fields)
            } catch {
                throw .keySet(file: file, error)
            }
            entries.append(entry)
        }
        self.entries = entries
        self.registry = registry
    }

    /// Reads a key, and drops the private half if it does not sign.
    private static func key(
        file: String, _ use: NetworkKeyFile.Item.Use, signer: (socket: String, keyID: String)?
    ) throws(KeyProblem) -> (Use, SignaturePublicKey) {
        switch use {
        case .active:
            if let signer {
                let material = try KeyFile.material(file)
                guard material.privateKey == nil else {
                    throw .privateBesideSigner(file: file)
                }
                let publicKey = try SignaturePublicKey(material, file: file)
                let key = ExternalKey(socket: signer.socket, id: signer.keyID, publicKey: publicKey)
                return (.active(.external(key)), publicKey)
            }
            let key = try NetworkPrivateKey(file: file)
            guard let publicKey = try? key.publicKey() else {
                throw .noPublicKey(file: file, found: .nothing)
            }
            return (.active(.own(key)), publicKey)
        case .verifyOnly:
            // A former private key stays secret as long as Apple has its public half.
            return (.verifyOnly, try SignaturePublicKey(try KeyFile.material(file, isSecret: true), file: file))
        }
    }

    /// The active keys that external signers sign with, each once.
    package var externalKeys: Set<ExternalKey> {
        Set(entries.compactMap { if case .active(.external(let key)) = $0.use { key } else { nil } })
    }

    /// The network's number in the IAB Tech Lab's registry, from any of its keys; nil if none has it.
    func registryID(of adNetworkID: AdNetworkID) -> Int64? {
        registry.numbers[adNetworkID.registered]
    }

    /// The numbers of the networks: each network has one, and each number one network.
    private struct Registry {
        /// The numbers by registered id.
        private(set) var numbers: [String: Int64] = [:]
        private var networks: [Int64: AdNetworkID] = [:]

        /// Takes the number of an entry, if it has one.
        mutating func note(_ entry: Entry, _ fields: DocumentFields) throws(DocumentProblem) {
            guard let number = entry.registryID else {
                return
            }
            let known = numbers.updateValue(number, forKey: entry.adNetworkID.registered) ?? number
            let holder = networks.updateValue(entry.adNetworkID, forKey: number) ?? entry.adNetworkID
            guard known == number, holder.registered == entry.adNetworkID.registered else {
                throw fields.problem(
                    "registry-id",
                    found: "\(number) of \(entry.adNetworkID), but "
                        + (known == number ? "\(number) of \(holder)" : "\(known) of \(entry.adNetworkID)") + " before",
                    expected: "one number for each network, and one network for each number",
                    cure: "correct one of them, or remove it")
            }
        }
    }
}
