import Attribution
import StrictJSON

/// Causes for the answers to deliveries, which must not cost much more than the deliveries themselves.
extension PostbackExplainer {
    /// The longest body that is looked at; genuine ones take half of it at most.
    package static let maximumCheapLength = 2_048
    /// The most repairs of a body that are read and verified.
    private static let maximumCheapRepairs = 6

    /// Whether a verification takes microseconds; it does not until tables are prepared.
    package var isCheap: Bool {
        verifier.hasTables
    }

    /// Proves the causes that few verifications can prove, of bodies whose signature does not verify.
    ///
    /// ``explain(_:)`` names the same causes. That this finds none says nothing about a body.
    ///
    /// - Parameter bodies: The bodies; all their repairs are verified as one batch.
    /// - Returns: Their causes, in the same order.
    package func cheapCauses(of bodies: [[UInt8]]) -> [ProvenCause?] {
        var causes: [ProvenCause?] = Array(repeating: nil, count: bodies.count)
        var candidates: [(index: Int, repair: Repair)] = []
        var postbacks: [ReceivedPostback] = []
        for (index, body) in bodies.enumerated() where body.count <= Self.maximumCheapLength {
            guard let object = try? JSONObject(reading: body) else {
                continue
            }
            let claim = ClaimedPostback(object)
            // A key of SKAdNetwork signs for another version only if the version was changed, which is a repair.
            if claim.isAdAttributionKit, let postback = try? ReceivedPostback(reading: body),
                let (cause, _) = otherKey(of: postback)
            {
                causes[index] = ProvenCause(cause: cause, field: nil)
                continue
            }
            for (repair, postback) in cheapRepairs(of: claim) {
                candidates.append((index, repair))
                postbacks.append(postback)
            }
        }
        for ((index, repair), judgement) in zip(candidates, verifier.verify(postbacks)) where causes[index] == nil {
            if case .verified = judgement {
                causes[index] = ProvenCause(cause: repair.cause, field: repair.field)
            }
        }
        return causes
    }

    private func cheapRepairs(of claim: ClaimedPostback) -> [(repair: Repair, postback: ReceivedPostback)] {
        var candidates: [(repair: Repair, postback: ReceivedPostback)] = []
        var rest = Self.maximumCheapRepairs
        for mishap in Mishap.cheap where rest > 0 {
            for repair in mishap.cheapRepairs(of: claim, networks: networks).prefix(rest) {
                rest -= 1
                // Some make no postback of it, and some the same one.
                if let postback = try? ReceivedPostback(reading: repair.claim.body),
                    !candidates.contains(where: { $0.postback.body == postback.body })
                {
                    candidates.append((repair, postback))
                }
            }
        }
        return candidates
    }
}
