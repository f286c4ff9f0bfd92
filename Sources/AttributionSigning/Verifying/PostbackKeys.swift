import Attribution

/// Keys that verify postbacks, by whose postbacks they may verify; never changed, so that a batch meets one set of them.
final class PostbackKeys: Sendable {
    /// Test keys first, so that a test server does not verify everything twice; then Apple's, built in and added.
    let all: [PostbackVerificationKey]
    let testKeys: [SignaturePublicKey]
    let added: [AppleKeyRecord]
    let tables: KeyTables?
    /// The index of each key in the tables, which have a key once whatever it may verify.
    let tableIndices: [Int]
    private let versions: [Candidates]
    private let keyIDs: [(keyID: PostbackKeyID, candidates: Candidates)]

    /// The keys that may verify a signer's postbacks.
    final class Candidates: Sendable {
        /// Their indices in ``PostbackKeys/all``, in the order to try.
        let keyIndices: [Int]
        /// The rejection if none of them verifies a postback, and all are valid.
        let rejection: PostbackRejection
        let haveDates: Bool

        init(of signer: PostbackSigner, among keys: [PostbackVerificationKey]) {
            keyIndices = keys.indices.filter { keys[$0].signers.contains(signer) }
            rejection = .invalidSignature(keys: keyIndices.map { keys[$0].name })
            haveDates = keyIndices.contains { keys[$0].validity != AppleKeyRecord.always }
        }
    }

    /// Takes test keys, and keys that an operator added to Apple's.
    ///
    /// - Throws: ``KeyProblem/testKeyAmongApples(fingerprint:)``, and for a key that cannot be read.
    init(testKeys: [SignaturePublicKey], added: [AppleKeyRecord]) throws(KeyProblem) {
        let apples = try PostbackVerificationKey.apple(adding: added)
        var tests: [PostbackVerificationKey] = []
        for key in testKeys {
            let same = apples.filter { $0.publicKey.subjectPublicKeyInfo == key.subjectPublicKeyInfo }
            guard !same.contains(where: \.isAdded) else {
                throw .testKeyAmongApples(fingerprint: key.fingerprint)
            }
            if same.isEmpty {
                tests.append(.test(key))
            }
        }
        let all = tests + apples
        self.all = all
        self.testKeys = testKeys
        self.added = added
        tables = nil
        let distinct = Self.distinct(all)
        tableIndices = all.map { key in
            distinct.firstIndex { $0.key.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo } ?? 0
        }
        versions = SKAdNetworkVersion.allCases.sorted().map { Candidates(of: .skAdNetwork($0), among: all) }
        var keyIDs: [PostbackKeyID] = []
        for case .adAttributionKit(let keyID) in all.flatMap(\.signers) where !keyIDs.contains(keyID) {
            keyIDs.append(keyID)
        }
        self.keyIDs = keyIDs.map { ($0, Candidates(of: .adAttributionKit($0), among: all)) }
    }

    private init(_ keys: PostbackKeys, _ tables: KeyTables) {
        (all, testKeys, added) = (keys.all, keys.testKeys, keys.added)
        (tableIndices, versions, keyIDs) = (keys.tableIndices, keys.versions, keys.keyIDs)
        self.tables = tables
    }

    /// The same keys with tables.
    func withTables() throws(KeyTablesError) -> PostbackKeys {
        guard tables == nil else {
            return self
        }
        // 5 MB per table for P-256.
        return PostbackKeys(self, try KeyTables(Self.distinct(all), windowWidth: 13))
    }

    private static func distinct(_ keys: [PostbackVerificationKey]) -> [(name: String, key: SignaturePublicKey)] {
        var distinct: [(name: String, key: SignaturePublicKey)] = []
        for key in keys
        where !distinct.contains(where: { $0.key.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo }) {
            distinct.append((key.name, key.publicKey))
        }
        return distinct
    }

    /// The keys that may verify a signer's postbacks; nil for a `kid` that none has.
    ///
    /// A look over the few that there are, because every postback needs it and hashing takes time.
    func candidates(of signer: PostbackSigner) -> Candidates? {
        switch signer {
        case .skAdNetwork(let version): versions[version.ordinal]
        case .adAttributionKit(let keyID): keyIDs.first { $0.keyID == keyID }?.candidates
        }
    }

    /// Why no key verifies a postback that was first received at a time.
    func rejection(of signer: PostbackSigner, _ candidates: Candidates?, at milliseconds: Int64?) -> PostbackRejection {
        guard let candidates else {
            return .unknownKey("\"\(signer.name)\"")
        }
        guard candidates.haveDates else {
            return candidates.rejection
        }
        let tried = candidates.keyIndices.map { (key: all[$0], isValid: all[$0].isValid(at: milliseconds)) }
        // It is kept with those of unknown keys, because a date may be wrong.
        if case .adAttributionKit = signer, !tried.contains(where: \.isValid) {
            return .unknownKey("\"\(signer.name)\" (no key valid then)")
        }
        return .invalidSignature(keys: tried.map { $0.key.name + ($0.isValid ? "" : " (not valid when received)") })
    }
}
