package import Attribution
import FixedKeyECDSA
import Platform
import Synchronization

/// Reads postbacks strictly and verifies their signatures; nothing else makes a ``VerifiedPostback`` or a
/// ``VerifiedUnknownPostback``.
///
/// SKAdNetwork's version determines the curve and the signed text, AdAttributionKit's `kid` the key. Of
/// AdAttributionKit, test keys verify only ``Attribution/PostbackKeyID/test``. Test keys are tried first, so that a
/// test server does not verify everything twice.
package struct PostbackVerifier: Sendable {
    private let keys: [PostbackVerificationKey]
    private let candidates: SignerCandidates
    private let tables = PreparedTables()

    /// The keys that may verify a signer's postbacks.
    private struct Candidates {
        /// Their indices in ``keys``, in the order to try.
        let keyIndices: [Int]
        /// The rejection if none of them verifies a postback.
        let rejection: PostbackRejection

        init(_ keyIndices: [Int], of keys: [PostbackVerificationKey]) {
            self.keyIndices = keyIndices
            rejection = .invalidSignature(keys: keyIndices.map { keys[$0].name })
        }
    }

    /// The candidates of each signer.
    private struct SignerCandidates {
        let p192: Candidates
        let p256: Candidates
        let production: Candidates
        let developmentFlow: Candidates
        let developerSettings: Candidates
        let test: Candidates

        /// A switch, not a dictionary, because every postback needs it and hashing takes time.
        subscript(signer: PostbackSigner) -> Candidates {
            switch signer {
            case .skAdNetwork(.p192): p192
            case .skAdNetwork(.p256): p256
            case .adAttributionKit(.production): production
            case .adAttributionKit(.developmentFlow): developmentFlow
            case .adAttributionKit(.developerSettings): developerSettings
            case .adAttributionKit(.test): test
            }
        }
    }

    /// Makes a verifier with Apple's keys and optional test keys.
    package init(testKeys: [SignaturePublicKey] = []) throws(KeyProblem) {
        let builtIn: [PostbackVerificationKey] = [
            try .apple(.p192), try .apple(.p256),
            try .development(.developmentFlow, base64: ApplePublicKeys.developmentFlowBase64),
            try .development(.developerSettings, base64: ApplePublicKeys.developerSettingsBase64),
        ]
        let tests = testKeys.filter { key in !builtIn.contains { $0.publicKey.base64 == key.base64 } }
        let keys = tests.map(PostbackVerificationKey.test) + builtIn
        let first = tests.count
        let testIndices = Dictionary(grouping: tests.indices) { tests[$0].curve }
        self.keys = keys
        candidates = SignerCandidates(
            p192: Candidates(testIndices[.p192, default: []] + [first], of: keys),
            p256: Candidates(testIndices[.p256, default: []] + [first + 1], of: keys),
            production: Candidates([first + 1], of: keys),
            developmentFlow: Candidates([first + 2], of: keys),
            developerSettings: Candidates([first + 3], of: keys),
            test: Candidates(testIndices[.p256, default: []], of: keys))
    }

    /// Makes the tables that speed up verifying many postbacks, and compares them with OpenSSL.
    ///
    /// This takes tens of milliseconds per key. Without tables, only OpenSSL verifies.
    ///
    /// - Throws: ``KeyTablesError``; the verifier still works.
    package func prepareTables() throws(KeyTablesError) {
        try tables.prepare(keys)
    }

    /// Reads and verifies a body.
    package func judge(_ body: [UInt8]) -> Judgement {
        do throws(PostbackRejection) {
            return verify(try PostbackReading(body))
        } catch {
            return .rejected(error, body: body)
        }
    }

    /// Reads and verifies bodies as a batch.
    package func judge(_ bodies: [[UInt8]]) -> [Judgement] {
        let received = bodies.map { body in
            Result { () throws(PostbackRejection) in try PostbackReading(body) }
        }
        var judgements = verify(received.compactMap { try? $0.get() }).makeIterator()
        return zip(bodies, received).compactMap { body, result in
            if case .failure(let rejection) = result { .rejected(rejection, body: body) } else { judgements.next() }
        }
    }

    /// Whether tables were prepared, with which a signature takes a fraction of the time.
    package var hasTables: Bool { tables.value != nil }

    /// The keys that may verify a signer's postbacks, in the order to try.
    package func keys(of signer: PostbackSigner) -> [PostbackVerificationKey] {
        candidates[signer].keyIndices.map { keys[$0] }
    }

    /// The first key under which signed bytes verify, whoever may use it; for explanations, which accept nothing.
    package func anyKey(
        verifying signature: [UInt8], _ encoding: SignatureEncoding, over signedBytes: [UInt8]
    ) -> PostbackVerificationKey? {
        let digest = SHA256.digest(of: signedBytes).bytes
        guard let tables = tables.value else {
            return keys.first { $0.publicKey.verdict(on: signature, encoding, digest: digest) == .valid }
        }
        let queried = keys.enumerated().compactMap { index, key in
            tables.check(MessageDigest(digest.span), signature, encoding, index).map { (key: key, check: $0) }
        }
        return zip(queried, tables.verify(queried.map(\.check))).first { queried, verdict in
            verdict.isValid ?? (queried.key.publicKey.verdict(on: signature, encoding, digest: digest) == .valid)
        }?.0.key
    }

    /// Verifies a postback.
    package func verify(_ postback: ReceivedPostback) -> Judgement {
        verify(.postback(postback))
    }

    private func verify(_ postback: PostbackReading) -> Judgement {
        let digest = Self.digest(postback)
        var finding = Finding.none
        for keyIndex in candidates[postback.signer].keyIndices {
            finding.take(openSSLVerdict(on: postback, digest, keyIndex), from: keyIndex)
            if case .key = finding {
                break
            }
        }
        return judgement(on: postback, finding)
    }

    /// Verifies postbacks as a batch.
    package func verify(_ postbacks: [ReceivedPostback]) -> [Judgement] {
        verify(postbacks.map(PostbackReading.postback))
    }

    private func verify(_ postbacks: [PostbackReading]) -> [Judgement] {
        guard let tables = tables.value else {
            return postbacks.map { verify($0) }
        }
        var hash = SHA256()
        let digests = postbacks.map { postback in
            hash.update(postback.signedBytes)
            return hash.finish().withBytes { MessageDigest($0) }
        }
        var findings: [Finding] = Array(repeating: .none, count: postbacks.count)
        var pending = Array(postbacks.indices)
        var round = 0
        // All postbacks are verified under their first key, then the rest under their second, and so on.
        while !pending.isEmpty {
            var stillPending: [Int] = []
            var queried: [(index: Int, keyIndex: Int)] = []
            var checks: [SignatureCheck] = []
            queried.reserveCapacity(pending.count)
            checks.reserveCapacity(pending.count)
            for index in pending {
                let postback = postbacks[index]
                let keyIndices = candidates[postback.signer].keyIndices
                guard round < keyIndices.count else {
                    continue
                }
                let keyIndex = keyIndices[round]
                // A signature that is malformed or out of range is invalid.
                if let check = tables.check(digests[index], postback.signature, postback.signatureEncoding, keyIndex) {
                    queried.append((index, keyIndex))
                    checks.append(check)
                } else {
                    stillPending.append(index)
                }
            }
            for ((index, keyIndex), verdict) in zip(queried, tables.verify(checks)) {
                let verdict: SignatureVerdict =
                    switch verdict {
                    case .valid: .valid
                    case .invalid: .invalid
                    case .undecided: openSSLVerdict(on: postbacks[index], Self.digest(postbacks[index]), keyIndex)
                    }
                findings[index].take(verdict, from: keyIndex)
                if verdict != .valid {
                    stillPending.append(index)
                }
            }
            pending = stillPending
            round += 1
        }
        return zip(postbacks, findings).map { judgement(on: $0, $1) }
    }

    /// The combined verdict of the keys tried so far.
    private enum Finding {
        /// No key verifies it.
        case none
        /// The key at this index verifies it.
        case key(Int)
        /// No key verifies it, and at least one is undecided.
        case undecided(reason: String)

        mutating func take(_ verdict: SignatureVerdict, from keyIndex: Int) {
            switch verdict {
            case .valid: self = .key(keyIndex)
            case .invalid: break
            case .undecided(let reason): self = .undecided(reason: reason)
            }
        }
    }

    private func openSSLVerdict(on postback: PostbackReading, _ digest: [UInt8], _ keyIndex: Int) -> SignatureVerdict {
        keys[keyIndex].publicKey.verdict(on: postback.signature, postback.signatureEncoding, digest: digest)
    }

    private func judgement(on postback: PostbackReading, _ finding: Finding) -> Judgement {
        switch finding {
        case .key(let index):
            let key = keys[index]
            switch postback {
            case .postback(let postback):
                return .verified(VerifiedPostback(verified: postback, provenance: key.provenance, keyName: key.name))
            case .unknown(let unknown):
                let verified = VerifiedUnknownPostback(
                    verified: unknown, provenance: key.provenance, keyName: key.name)
                return .rejected(.notUnderstood(verified), body: unknown.body)
            }
        case .undecided(let reason):
            return .undecided(reason: reason, body: postback.body)
        case .none:
            let tried = candidates[postback.signer]
            if tried.keyIndices.isEmpty, case .adAttributionKit(let keyID) = postback.signer {
                return .rejected(.unknownKey("\"\(keyID.rawValue)\""), body: postback.body)
            }
            if case .unknown(let unknown) = postback {
                // Without a signature that verifies, it is only malformed.
                return .rejected(.malformed(unknown.problems), body: unknown.body)
            }
            return .rejected(tried.rejection, body: postback.body)
        }
    }

    private static func digest(_ postback: PostbackReading) -> [UInt8] {
        SHA256.digest(of: postback.signedBytes).bytes
    }

    /// The tables, once made; copies of a verifier share them.
    private final class PreparedTables: Sendable {
        private let state = Mutex<KeyTables?>(nil)

        var value: KeyTables? {
            state.withLock { $0 }
        }

        func prepare(_ keys: [PostbackVerificationKey]) throws(KeyTablesError) {
            guard value == nil else {
                return
            }
            // 5 MB per table for P-256.
            let tables = try KeyTables(keys.map { ($0.name, $0.publicKey) }, windowWidth: 13)
            state.withLock { $0 = tables }
        }
    }
}
