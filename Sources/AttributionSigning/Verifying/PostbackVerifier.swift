package import Attribution
import FixedKeyECDSA
import Platform
import Synchronization

/// Reads postbacks strictly and verifies their signatures; nothing else makes a ``VerifiedPostback`` or a
/// ``VerifiedUnknownPostback``.
///
/// SKAdNetwork's version determines the curve, the signed text and the keys, AdAttributionKit's `kid` the keys. Of
/// AdAttributionKit, test keys verify only ``Attribution/PostbackKeyID/test``. Copies of a verifier share their keys.
package struct PostbackVerifier: Sendable {
    private let current: CurrentKeys

    /// The keys in use, which can be replaced between two batches.
    private final class CurrentKeys: Sendable {
        let keys: Mutex<PostbackKeys>

        init(_ keys: PostbackKeys) {
            self.keys = Mutex(keys)
        }
    }

    private var keys: PostbackKeys {
        current.keys.withLock { $0 }
    }

    private init(_ keys: PostbackKeys) {
        current = CurrentKeys(keys)
    }

    /// Makes a verifier with Apple's built-in keys, and optional test keys and keys that were added to Apple's.
    ///
    /// - Throws: ``KeyProblem/testKeyAmongApples(fingerprint:)``, and for a key that cannot be read.
    package init(testKeys: [SignaturePublicKey] = [], added: [AppleKeyRecord] = []) throws(KeyProblem) {
        self.init(try PostbackKeys(testKeys: testKeys, added: added))
    }

    /// Makes the tables that speed up verifying many postbacks, and compares them with OpenSSL.
    ///
    /// This takes tens of milliseconds per key. Without tables, only OpenSSL verifies.
    ///
    /// - Throws: ``KeyTablesError``; the verifier still works.
    package func prepareTables() throws(KeyTablesError) {
        let former = keys
        let prepared = try former.withTables()
        current.keys.withLock { keys in
            if keys === former {
                keys = prepared
            }
        }
    }

    /// Whether tables were prepared, with which a signature takes a fraction of the time.
    package var hasTables: Bool { keys.tables != nil }

    // MARK: Keys

    /// The keys that were added to Apple's.
    package var added: [AppleKeyRecord] { keys.added }

    /// Apple's keys, those built in and those added.
    package var appleKeys: [PostbackVerificationKey] {
        keys.all.filter { $0.provenance != .test }
    }

    /// The keys that may verify a signer's postbacks, in the order to try.
    package func keys(of signer: PostbackSigner) -> [PostbackVerificationKey] {
        let keys = keys
        return keys.candidates(of: signer)?.keyIndices.map { keys.all[$0] } ?? []
    }

    /// The same test keys with other keys added to Apple's, with tables if this has them and they can be made.
    package func replacing(added: [AppleKeyRecord]) throws(KeyProblem) -> PostbackVerifier {
        let former = keys
        let fresh = PostbackVerifier(try PostbackKeys(testKeys: former.testKeys, added: added))
        if former.tables != nil {
            try? fresh.prepareTables()
        }
        return fresh
    }

    /// A verifier that also has keys that a store remembers; of a key that both have, this one's dates count.
    package func remembering(_ stored: [AppleKeyRecord]) throws(KeyProblem) -> PostbackVerifier {
        let former = added
        let others = stored.filter { record in !former.contains { $0.isSame(as: record) } }
        return others.isEmpty ? self : try replacing(added: others + former)
    }

    /// Uses the keys of another verifier from the next batch on, in all copies of this one.
    package func use(_ other: PostbackVerifier) {
        let fresh = other.keys
        current.keys.withLock { $0 = fresh }
    }

    // MARK: Verifying

    /// Reads and verifies a body; without a time of first receipt, as received after every date.
    package func judge(_ body: [UInt8], receivedAt milliseconds: Int64 = .max) -> Judgement {
        do throws(PostbackRejection) {
            return Self.verify(try PostbackReading(body), receivedAt: milliseconds, keys)
        } catch {
            return .rejected(error, body: body)
        }
    }

    /// Reads and verifies bodies as a batch; they count as received after every date.
    package func judge(_ bodies: [[UInt8]]) -> [Judgement] {
        judge(bodies.map { ReceivedBody($0, receivedAtMilliseconds: .max) })
    }

    /// Reads and verifies bodies as a batch.
    package func judge(_ bodies: [ReceivedBody]) -> [Judgement] {
        let keys = keys
        let received = bodies.map { body in
            Result { () throws(PostbackRejection) in try PostbackReading(body.bytes) }
        }
        var postbacks: [PostbackReading] = []
        var times: [Int64?] = []
        postbacks.reserveCapacity(bodies.count)
        times.reserveCapacity(bodies.count)
        for (body, result) in zip(bodies, received) {
            if case .success(let postback) = result {
                postbacks.append(postback)
                times.append(body.receivedAtMilliseconds)
            }
        }
        var judgements = Self.verify(postbacks, receivedAt: times, keys).makeIterator()
        return zip(bodies, received).compactMap { body, result in
            if case .failure(let rejection) = result {
                .rejected(rejection, body: body.bytes)
            } else {
                judgements.next()
            }
        }
    }

    /// The first key under which signed bytes verify, whoever may use it; for explanations, which accept nothing.
    package func anyKey(
        verifying signature: [UInt8], _ encoding: SignatureEncoding, over signedBytes: [UInt8]
    ) -> PostbackVerificationKey? {
        let digest = SHA256.digest(of: signedBytes).bytes
        let keys = keys
        guard let tables = keys.tables else {
            return keys.all.first { $0.publicKey.verdict(on: signature, encoding, digest: digest) == .valid }
        }
        let queried = zip(keys.all, keys.tableIndices).compactMap { key, index in
            tables.check(MessageDigest(digest.span), signature, encoding, index).map { (key: key, check: $0) }
        }
        return zip(queried, tables.verify(queried.map(\.check))).first { queried, verdict in
            verdict.isValid ?? (queried.key.publicKey.verdict(on: signature, encoding, digest: digest) == .valid)
        }?.0.key
    }

    /// Verifies postbacks as a batch for explanations, whatever the dates of keys.
    package func verify(_ postbacks: [ReceivedPostback]) -> [Judgement] {
        Self.verify(
            postbacks.map(PostbackReading.postback), receivedAt: Array(repeating: nil, count: postbacks.count), keys)
    }

    private static func verify(
        _ postback: PostbackReading, receivedAt milliseconds: Int64?, _ keys: PostbackKeys
    ) -> Judgement {
        let signed = postback.signed
        let digest = digest(signed)
        let candidates = keys.candidates(of: signed.signer)
        var finding = Finding.none
        for keyIndex in candidates?.keyIndices ?? [] where keys.all[keyIndex].isValid(at: milliseconds) {
            finding.take(openSSLVerdict(on: signed, digest, keys.all[keyIndex]), from: keyIndex)
            if case .key = finding {
                break
            }
        }
        return judgement(on: postback, finding, receivedAt: milliseconds, candidates, keys)
    }

    private static func verify(
        _ postbacks: [PostbackReading], receivedAt times: [Int64?], _ keys: PostbackKeys
    ) -> [Judgement] {
        guard let tables = keys.tables else {
            return zip(postbacks, times).map { verify($0, receivedAt: $1, keys) }
        }
        let signed = postbacks.map(\.signed)
        let candidates = signed.map { keys.candidates(of: $0.signer) }
        var hash = SHA256()
        let digests = signed.map { signed in
            hash.update(signed.signedBytes)
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
                guard let keyIndices = candidates[index]?.keyIndices, round < keyIndices.count else {
                    continue
                }
                let keyIndex = keyIndices[round]
                // A signature that is malformed or out of range is invalid.
                if keys.all[keyIndex].isValid(at: times[index]),
                    let check = tables.check(
                        digests[index], signed[index].signature, signed[index].signatureEncoding,
                        keys.tableIndices[keyIndex])
                {
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
                    case .undecided:
                        openSSLVerdict(on: signed[index], digest(signed[index]), keys.all[keyIndex])
                    }
                findings[index].take(verdict, from: keyIndex)
                if verdict != .valid {
                    stillPending.append(index)
                }
            }
            pending = stillPending
            round += 1
        }
        return postbacks.indices.map { index in
            judgement(
                on: postbacks[index], findings[index], receivedAt: times[index], candidates[index], keys)
        }
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

    private static func openSSLVerdict(
        on signed: any SignedBody, _ digest: [UInt8], _ key: PostbackVerificationKey
    ) -> SignatureVerdict {
        key.publicKey.verdict(on: signed.signature, signed.signatureEncoding, digest: digest)
    }

    private static func judgement(
        on postback: PostbackReading, _ finding: Finding, receivedAt milliseconds: Int64?,
        _ candidates: PostbackKeys.Candidates?, _ keys: PostbackKeys
    ) -> Judgement {
        switch finding {
        case .key(let index):
            let key = keys.all[index]
            switch postback {
            case .postback(let postback):
                return .verified(VerifiedPostback(verified: postback, provenance: key.provenance, keyName: key.name))
            case .unknown(let unknown):
                let verified = VerifiedUnknownPostback(
                    verified: unknown, provenance: key.provenance, keyName: key.name)
                return .rejected(.notUnderstood(verified), body: unknown.body)
            }
        case .undecided(let reason):
            return .undecided(reason: reason, body: postback.signed.body)
        case .none:
            let rejection = keys.rejection(of: postback.signed.signer, candidates, at: milliseconds)
            if case .unknown(let unknown) = postback, rejection.code != .unknownKey {
                // Without a signature that verifies, it is only malformed.
                return .rejected(.malformed(unknown.problems), body: unknown.body)
            }
            return .rejected(rejection, body: postback.signed.body)
        }
    }

    private static func digest(_ signed: any SignedBody) -> [UInt8] {
        SHA256.digest(of: signed.signedBytes).bytes
    }
}
