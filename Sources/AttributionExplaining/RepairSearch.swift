import Attribution
import AttributionSigning
import StrictJSON

/// Tries repairs until one verifies, within a budget that bounds its time.
struct RepairSearch {
    /// What a repair proved; the verified postback itself is dropped.
    struct Proof {
        /// What was undone, after "would verify if"; empty for nothing.
        let conditions: [String]
        /// The key that verifies it then.
        let keyName: String
        /// The text that was signed.
        let text: String?
    }

    private let verifier: PostbackVerifier
    private let networks: [String]
    /// The texts that were tried, with their signatures.
    private var tried: Set<[UInt8]> = []
    /// What was done so far, in nanoseconds of a usual machine: counted, so that it does not depend on load.
    private var cost = 0
    /// What was undone on every claim that is tried now.
    private var undone: [String] = []

    /// The most that a search may cost, but for its last step: 30 milliseconds.
    private static let budget = 30_000_000

    init(verifier: PostbackVerifier, networks: [String]) {
        self.verifier = verifier
        self.networks = networks
    }

    /// How many signatures were verified.
    var verifiedCount: Int { tried.count }

    /// What nothing proved, for people.
    var outcome: String {
        let outcome =
            switch verifiedCount {
            case 0: "nothing that was tried makes a postback of it"
            case 1: "the one repair that was tried does not verify"
            default: "none of \(verifiedCount) repairs verifies"
            }
        return outcome + (isExhausted ? ", and there was time for no more" : "")
    }

    /// Whether nothing more may be tried.
    var isExhausted: Bool { cost >= Self.budget }

    /// The first repair that verifies: of one mishap, else of two, also with other names.
    mutating func firstProof(of claim: ClaimedPostback, respells: Bool = true) -> (Repair, Proof)? {
        // Those of the last character are many, and what they make of it no other repair makes.
        if let found = firstProof(of: Mishap.allCases.filter { $0 != .misspelt }, on: claim) {
            return found
        }
        if respells, let respelled = repairs(.renamed, claim).first,
            let proof = firstProof(of: respelled.claim, after: [respelled.condition])
        {
            return (respelled, proof)
        }
        for (index, mishap) in Mishap.combined.enumerated() {
            for repair in repairs(mishap, claim) {
                for other in Mishap.combined[index...] {
                    for second in repairs(other, repair.claim) {
                        if let proof = proof(of: second.claim.body, repair.condition, second.condition) {
                            return (repair, proof)
                        }
                    }
                }
            }
        }
        return firstProof(of: [.misspelt], on: claim)
    }

    /// The first proof of a claim on which something was undone, with that and what else has to be.
    private mutating func firstProof(of claim: ClaimedPostback, after conditions: [String]) -> Proof? {
        let before = undone
        undone += conditions
        defer { undone = before }
        return firstProof(of: claim, respells: false)?.1
    }

    /// The first postback inside something else or under other names that verifies as it is, else with repairs.
    mutating func firstProof(
        of postbacks: [WrappedPostback], after condition: String? = nil
    ) -> (WrappedPostback, Proof)? {
        let conditions = condition.map { [$0] } ?? []
        for postback in postbacks {
            undone = conditions + postback.conditions
            defer { undone = [] }
            if let proof = proof(of: postback.claim.body) {
                return (postback, proof)
            }
        }
        for postback in postbacks.prefix(4) {
            if let proof = firstProof(of: postback.claim, after: conditions + postback.conditions) {
                return (postback, proof)
            }
        }
        return nil
    }

    /// The postbacks inside a body.
    mutating func postbacks(in body: [UInt8]) -> [WrappedPostback] {
        guard !isExhausted else {
            return []
        }
        cost += 100 * body.count
        return PostbackFinder.postbacks(in: body).found
    }

    /// The first repair of some mishaps that verifies.
    mutating func firstProof(of mishaps: [Mishap], on claim: ClaimedPostback) -> (Repair, Proof)? {
        for mishap in mishaps {
            for repair in repairs(mishap, claim) {
                if let proof = proof(of: repair.claim.body, repair.condition) {
                    return (repair, proof)
                }
            }
        }
        return nil
    }

    /// The first body that verifies.
    mutating func firstProof(of repairs: [BodyRepair]) -> Proof? {
        for repair in repairs {
            if let proof = proof(of: repair.body, repair.condition) {
                return proof
            }
        }
        return nil
    }

    /// Every way to undo a mishap.
    private mutating func repairs(_ mishap: Mishap, _ claim: ClaimedPostback) -> [Repair] {
        guard !isExhausted else {
            return []
        }
        cost += 1_000 + 6 * claim.size
        return mishap.repairs(of: claim, networks: networks)
    }

    private mutating func proof(of body: @autoclosure () -> [UInt8], _ conditions: String...) -> Proof? {
        guard !isExhausted else {
            return nil
        }
        let body = body()
        // Most are short; longer ones get fewer repairs.
        cost += 5_000 + 22 * body.count + 25 * max(0, body.count - 1_500)
        guard let postback = try? ReceivedPostback(reading: body),
            tried.insert(postback.signedBytes + postback.signature).inserted
        else {
            return nil
        }
        for key in verifier.keys(of: postback.signer) {
            cost += verifier.hasTables ? 20_000 : key.publicKey.curve == .p192 ? 200_000 : 65_000
        }
        // As a batch, because that uses the tables where there are some.
        guard case .verified(let verified)? = verifier.verify([postback]).first else {
            return nil
        }
        return Proof(
            conditions: undone + conditions, keyName: verified.keyName, text: postback.visibleSignedText)
    }
}

extension RepairSearch.Proof {
    /// What the proof says, for people.
    var evidence: String {
        switch conditions.count {
        case 0: "verifies under \(keyName), which may not sign it"
        case 1: "would verify under \(keyName) if \(conditions[0])"
        case 2:
            "would verify under \(keyName) only if two things were undone, neither of which is proven alone: "
                + conditions.joined(separator: ", and ")
        default:
            "would verify under \(keyName) only if \(conditions.count) things were undone, none of which is proven "
                + "alone: " + conditions.joined(separator: ", and ")
        }
    }
}

/// Bytes with something around or inside them undone that keeps them from being read as JSON.
struct BodyRepair {
    /// What was undone, after "would verify if".
    let condition: String
    /// The bytes without it.
    let body: [UInt8]

    /// With all but one of the fields of a name renamed; the first is kept, then the last.
    static func keepingOneOfEach(_ name: String, in body: [UInt8]) -> [BodyRepair] {
        let quoted = Array("\"\(name)\"".utf8)
        var indices: [Int] = []
        for index in body.indices where body[index...].starts(with: quoted) {
            let next = body[(index + quoted.count)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if next == UInt8(ascii: ":") {
                indices.append(index)
            }
        }
        guard (2...8).contains(indices.count) else {
            return []
        }
        return [("first", indices[0]), ("last", indices[indices.count - 1])].map { which, kept in
            var copy = body
            for (number, index) in indices.enumerated().reversed() where index != kept {
                copy.replaceSubrange(index..<(index + quoted.count), with: "\"duplicate-\(number)\"".utf8)
            }
            return BodyRepair(condition: "only the \(which) \(name.shortened(to: 60)) were there", body: copy)
        }
    }

    /// Without what is around the object, and with an end that was cut off.
    static func unwrapping(_ body: [UInt8]) -> [BodyRepair] {
        guard let start = body.firstIndex(of: UInt8(ascii: "{")), body.count <= 2 * JSONObject.maximumLength else {
            return []
        }
        var repairs: [BodyRepair] = []
        if let end = body.lastIndex(of: UInt8(ascii: "}")), end > start {
            repairs.append(
                BodyRepair(
                    condition: "there were nothing before byte \(start) and after byte \(end)",
                    body: Array(body[start...end])))
        }
        for end in ["}", "\"}"] {
            repairs.append(BodyRepair(condition: "it ended in \(end)", body: body[start...] + Array(end.utf8)))
        }
        return repairs
    }
}
