import Attribution

/// The JSON format of a key list, read strictly; ``NetworkKeySet`` compares the keys.
struct NetworkKeyFile {
    /// At least one: a file that lost its keys would otherwise take them from a running server.
    let keys: [Item]

    /// Reads a list.
    init(reading bytes: [UInt8]) throws(DocumentProblem) {
        let fields = try DocumentFields(
            reading: bytes, name: "the file", cure: "write {\"keys\": [...]}, as in the README's section on keys")
        try fields.allow("keys")
        var keys: [Item] = []
        for key in try fields.objects("keys") {
            keys.append(try Item(key))
        }
        self.keys = keys
    }

    struct Item {
        enum Use: String, CaseIterable {
            case active
            case verifyOnly = "verify-only"
        }

        let adNetworkID: AdNetworkID
        /// The path of its file, relative to the list.
        let file: String
        /// The path of an external signer's socket, relative to the list, and what it calls the key.
        let signer: (path: String, keyID: String)?
        let versions: ClosedRange<SKAdNetworkVersion>
        let use: Use
        let registryID: Int64?
        /// The object, for problems with its members.
        let fields: DocumentFields

        /// The longest path that the kernel takes.
        private static let longestPath = 4_096

        fileprivate init(_ fields: DocumentFields) throws(DocumentProblem) {
            try fields.allow("ad-network-id", "registry-id", "file", "versions", "use", "signer", "key-id")
            let text = try fields.text("ad-network-id")
            guard let adNetworkID = try? AdNetworkID.ofSetting(text, field: "ad-network-id") else {
                throw fields.problem(
                    "ad-network-id", found: fields.summary("ad-network-id"), expected: AdNetworkID.settingRule,
                    cure: "write it as Apple gave it: a-z and 0-9, then .skadnetwork or .adattributionkit")
            }
            self.adNetworkID = adNetworkID
            file = try fields.text("file", limit: Self.longestPath)
            versions = try Self.versions(fields)
            use = try fields.choice("use")
            signer = try Self.signer(fields)
            registryID =
                fields.hasValue("registry-id") ? Int64(try fields.integer("registry-id", in: 1...Int.max)) : nil
            self.fields = fields
        }

        private static func versions(
            _ fields: DocumentFields
        ) throws(DocumentProblem) -> ClosedRange<SKAdNetworkVersion> {
            let ends = try fields.text("versions").split(separator: "-", omittingEmptySubsequences: false)
                .map { SKAdNetworkVersion(rawValue: String($0)) }
            guard let first = ends.first, let lower = first, ends.count <= 2, let upper = ends[ends.count - 1],
                lower <= upper
            else {
                throw fields.problem(
                    "versions", found: fields.summary("versions"),
                    expected: "one of \(SKAdNetworkVersion.list), or the first and the last of several",
                    cure: "write for example \"2.1-4.0\"")
            }
            return lower...upper
        }

        private static func signer(
            _ fields: DocumentFields
        ) throws(DocumentProblem) -> (path: String, keyID: String)? {
            switch (fields.hasValue("signer"), fields.hasValue("key-id")) {
            case (false, false): return nil
            case (true, true): break
            case (let hasSigner, _):
                let name = hasSigner ? "key-id" : "signer"
                throw fields.problem(
                    name, found: fields.summary(name), expected: "both signer and key-id, or neither",
                    cure: "add \(name), or remove \(hasSigner ? "signer" : "key-id")")
            }
            let prefix = "unix:"
            let signer = try fields.text("signer", limit: longestPath)
            let path = signer.dropFirst(prefix.count)
            guard signer.hasPrefix(prefix), !path.isEmpty, path.last != "/" else {
                throw fields.problem(
                    "signer", found: fields.summary("signer"), expected: "\"unix:\" and the path of a socket",
                    cure: "write for example \"unix:/run/signer/signer.sock\"")
            }
            let id = try fields.text("key-id")
            guard id.utf8.count <= 128, id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw fields.problem(
                    "key-id", found: fields.summary("key-id"), expected: "1 to 128 characters of ASCII",
                    cure: "give the key such a name at the signer")
            }
            return (String(path), id)
        }
    }
}
