import Attribution
import StrictJSON

/// Tries repairs until one verifies, within a budget that bounds its time.
struct RepairSearch {
    /// What a repair proved; the verified postback itself is dropped.
    struct Proof {
        /// What was undone, after "would verify if"; nil for nothing.
        let condition: String?
        /// The key that verifies it then.
        let keyName: String
        /// The text that was signed.
        let text: String?
    }

    private let verifier: PostbackVerifier
    private let networks: [String]
    /// Microseconds left, as a usual machine takes them; counted, not measured, so that answers do not depend on load.
    private var budget = 30_000
    private var tried: Set<[UInt8]> = []
    /// The repairs whose signature was verified.
    private(set) var count = 0

    init(verifier: PostbackVerifier, networks: [String]) {
        self.verifier = verifier
        self.networks = networks
    }

    /// Whether some repairs were not tried.
    var isExhausted: Bool {
        budget <= 0
    }

    /// The first repair that verifies: of one mishap, else of two.
    mutating func firstProof(of claim: ClaimedPostback) -> (Repair, Proof)? {
        let last: Set<Mishap> = [.misspelt]
        for mishap in Mishap.allCases where !last.contains(mishap) {
            if let found = firstProof(of: mishap.repairs(of: claim, networks: networks)) {
                return found
            }
        }
        for (index, mishap) in Mishap.combined.enumerated() {
            for repair in mishap.repairs(of: claim, networks: networks) {
                for other in Mishap.combined[index...] where budget > 0 {
                    let both = other.repairs(of: repair.claim, networks: networks).map { second in
                        Repair(
                            repair.cause, repair.field, "\(repair.condition), and \(second.condition)", second.claim)
                    }
                    if let found = firstProof(of: both) {
                        return found
                    }
                }
            }
        }
        for mishap in Mishap.allCases where last.contains(mishap) {
            if let found = firstProof(of: mishap.repairs(of: claim, networks: networks)) {
                return found
            }
        }
        return nil
    }

    /// The first repair of fields under other names, or in another object, that verifies.
    mutating func firstProof(moving claim: ClaimedPostback) -> (Repair, Proof)? {
        firstProof(of: Mishap.moved.repairs(of: claim, networks: networks))
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

    private mutating func firstProof(of repairs: [Repair]) -> (Repair, Proof)? {
        for repair in repairs {
            if let proof = proof(of: repair.claim.body, repair.condition) {
                return (repair, proof)
            }
        }
        return nil
    }

    private mutating func proof(of body: [UInt8], _ condition: String) -> Proof? {
        guard budget > 0 else {
            return nil
        }
        // Rendering and reading; a body of the largest size costs more than a signature.
        budget -= 20 + body.count / 64 + max(0, body.count - 4_096) / 8
        guard let postback = try? ReceivedPostback(reading: body),
            tried.insert(postback.signedBytes + postback.signature).inserted
        else {
            return nil
        }
        count += 1
        for key in verifier.keys(of: postback.signer) {
            budget -= verifier.hasTables ? 20 : key.publicKey.curve == .p192 ? 200 : 65
        }
        // As a batch, because that uses the tables where there are some.
        guard case .verified(let verified)? = verifier.verify([postback]).first else {
            return nil
        }
        return Proof(condition: condition, keyName: verified.keyName, text: postback.visibleSignedText)
    }
}
