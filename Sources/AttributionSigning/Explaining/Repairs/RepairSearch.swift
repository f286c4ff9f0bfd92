import Attribution
import StrictJSON

/// Tries repairs until one verifies, within a budget that bounds its time.
struct RepairSearch {
    /// What a repair proved; the verified postback itself is dropped.
    struct Proof {
        /// What was undone, after "would verify if"; empty for nothing.
        fileprivate(set) var conditions: [String]
        /// Other changes, each of which alone makes it verify, too.
        fileprivate(set) var others: [String] = []
        /// Whether there may be more of them.
        fileprivate(set) var isIncomplete = false
        /// The key that verifies it then.
        let keyName: String
        /// The text that was signed.
        let text: String?
    }

    private let verifier: PostbackVerifier
    private let networks: [String]
    /// The texts that were tried, with their signatures.
    private var tried: Set<[UInt8]> = []
    /// What was done so far.
    private(set) var work = RepairWork()

    init(verifier: PostbackVerifier, networks: [String]) {
        self.verifier = verifier
        self.networks = networks
    }

    /// The first repair that verifies: of one mishap, else of two.
    mutating func firstProof(of claim: ClaimedPostback) -> (Repair, Proof)? {
        // Those of the last character are many, and what they make of it no other repair makes.
        let single = Mishap.allCases.filter { $0 != .misspelt }
        if let found = firstProof(of: single, on: claim) {
            return found
        }
        for (index, mishap) in Mishap.combined.enumerated() {
            for repair in repairs(mishap, claim) {
                for other in Mishap.combined[index...] where !work.isExhausted {
                    for second in repairs(other, repair.claim) {
                        if let verified = verified(second.claim.body) {
                            return (repair, proof(verified, repair.condition, second.condition))
                        }
                    }
                }
            }
        }
        return firstProof(of: [.misspelt], on: claim)
    }

    /// The first repair of fields under other names, or in another object, that verifies.
    mutating func firstProof(moving claim: ClaimedPostback) -> (Repair, Proof)? {
        firstProof(of: [.moved], on: claim)
    }

    /// The first body that verifies, and what else does.
    mutating func firstProof(of repairs: [BodyRepair]) -> Proof? {
        for (index, repair) in repairs.enumerated() {
            if let verified = verified(repair.body) {
                var proof = proof(verified, repair.condition)
                for other in repairs[(index + 1)...] where verifiesToo(other.body, verified) {
                    proof.others.append(other.condition)
                }
                proof.isIncomplete = work.isExhausted
                return proof
            }
        }
        return nil
    }

    // MARK: One change

    private mutating func firstProof(of mishaps: [Mishap], on claim: ClaimedPostback) -> (Repair, Proof)? {
        for (index, mishap) in mishaps.enumerated() {
            let repairs = repairs(mishap, claim)
            for (position, repair) in repairs.enumerated() {
                if let verified = verified(repair.claim.body) {
                    var proof = proof(verified, repair.condition)
                    // Whatever was tried before does not verify, or says the same.
                    noteOthers(repairs[(position + 1)...], than: repair, verified, &proof)
                    for later in mishaps[(index + 1)...] where !work.isExhausted {
                        noteOthers(self.repairs(later, claim)[...], than: repair, verified, &proof)
                    }
                    proof.isIncomplete = work.isExhausted
                    return (repair, proof)
                }
            }
        }
        return nil
    }

    /// Notes other changes that alone make it verify: then none of them is proven to be what happened.
    private mutating func noteOthers(
        _ repairs: ArraySlice<Repair>, than first: Repair, _ verified: Verified, _ proof: inout Proof
    ) {
        let statements = first.claim.statements
        for repair in repairs where !proof.others.contains(repair.condition) {
            if verifiesToo(repair.claim.body, verified), repair.claim.statements != statements {
                proof.others.append(repair.condition)
            }
        }
    }

    // MARK: Bodies

    /// A body that verifies.
    private struct Verified {
        let postback: ReceivedPostback
        let keyName: String
    }

    private func proof(_ verified: Verified, _ conditions: String...) -> Proof {
        Proof(conditions: conditions, keyName: verified.keyName, text: verified.postback.visibleSignedText)
    }

    /// Every way to undo a mishap.
    private mutating func repairs(_ mishap: Mishap, _ claim: ClaimedPostback) -> [Repair] {
        guard work.spend(listing: claim.size) else {
            return []
        }
        return mishap.repairs(of: claim, networks: networks)
    }

    private mutating func read(_ body: @autoclosure () -> [UInt8]) -> ReceivedPostback? {
        guard !work.isExhausted else {
            return nil
        }
        let body = body()
        work.spend(reading: body.count)
        return try? ReceivedPostback(reading: body)
    }

    private mutating func verified(_ body: @autoclosure () -> [UInt8]) -> Verified? {
        read(body()).flatMap { verify($0) }
    }

    /// Whether a body verifies beside one that does.
    private mutating func verifiesToo(_ body: @autoclosure () -> [UInt8], _ other: Verified) -> Bool {
        guard let postback = read(body()) else {
            return false
        }
        // A signature is that of one text.
        if postback.signature == other.postback.signature {
            return postback.signedBytes == other.postback.signedBytes && postback.signer == other.postback.signer
        }
        return verify(postback) != nil
    }

    private mutating func verify(_ postback: ReceivedPostback) -> Verified? {
        guard tried.insert(postback.signedBytes + postback.signature).inserted else {
            return nil
        }
        let curves = verifier.keys(of: postback.signer).map(\.publicKey.curve)
        work.spend(verifying: curves, hasTables: verifier.hasTables)
        // As a batch, because that uses the tables where there are some.
        guard case .verified(let verified)? = verifier.verify([postback]).first else {
            return nil
        }
        return Verified(postback: postback, keyName: verified.keyName)
    }
}

extension RepairSearch.Proof {
    /// What the proof says, for people.
    var evidence: String {
        guard let first = conditions.first else {
            return "verifies under \(keyName), which may not sign it"
        }
        guard conditions.count == 1 else {
            return "would verify under \(keyName) only if two things were undone, neither of which is proven alone: "
                + conditions.joined(separator: ", and ")
        }
        let limit = 3
        let more = others.count - limit
        return "would verify under \(keyName) if \(first)"
            + others.prefix(limit).map { ", and also if \($0)" }.joined()
            + (more > 0 ? ", and also if one of \(more) other things were undone" : "")
            + (others.isEmpty ? "" : "; which of these happened is not proven")
            + (isIncomplete ? "; there was no time to look for other changes" : "")
    }
}
