package import Attribution

/// The result of recounting a store from its raw bytes.
package struct Recount: Hashable, Sendable {
    /// Recorded postbacks read again.
    package var postbacks: Int64 = 0
    /// Recorded postbacks whose signature was verified again.
    package private(set) var verified: Int64 = 0
    /// Test postbacks whose key was not named this time; their bytes were read but not verified.
    package private(set) var unverifiedTest: Int64 = 0
    /// Differences between what is stored and what the raw bytes say; empty when all is well.
    ///
    /// Of those that a repair can mend and of the others, the first ``differencesListed`` each.
    package private(set) var differences: [RecountDifference] = []
    /// How many differences there are in all.
    package private(set) var differenceCount: Int64 = 0
    /// How many differences can be repaired.
    package private(set) var repairableCount: Int64 = 0

    /// The most differences listed of each kind.
    package static let differencesListed: Int64 = 10_000

    /// Nothing was read yet.
    package init() {}

    /// Adds a difference.
    package mutating func note(_ difference: RecountDifference) {
        differenceCount += difference.count
        if difference.isRepairable {
            repairableCount += difference.count
        }
        let count = difference.isRepairable ? repairableCount : differenceCount - repairableCount
        if count <= Self.differencesListed {
            differences.append(difference)
        }
    }

    /// A recorded postback whose bytes were read again.
    package struct ReadPostback {
        /// Its row.
        package let recorded: RecordedPostback
        /// What its bytes say.
        package let postback: ReceivedPostback
        /// The digests of its bytes.
        package let digests: PostbackDigests
        /// The key that verifies them; nil if the key that verified them was not named this time.
        package let keyName: String?

        fileprivate init(_ recorded: RecordedPostback, _ postback: ReceivedPostback, keyName: String?) {
            self.recorded = recorded
            self.postback = postback
            self.keyName = keyName
            digests = PostbackDigests(postback, provenance: recorded.traffic.provenance)
        }

        /// What reports count of it.
        package var facts: PostbackFacts {
            PostbackFacts(
                postback, traffic: recorded.traffic, recipient: recorded.recipient,
                receivedAtMilliseconds: recorded.receivedAtMilliseconds, key: digests.key)
        }
    }

    /// Checks that the bytes of a postback still verify as they did.
    ///
    /// - Parameters:
    ///   - recorded: The row; its body must not be nil.
    ///   - judgement: What the verifier says of its body.
    /// - Returns: What was read; nil if the bytes do not verify, which is added to the differences.
    package mutating func read(_ recorded: RecordedPostback, _ judgement: Judgement) -> ReadPostback? {
        let (id, traffic) = (recorded.id, recorded.traffic)
        switch judgement {
        case .verified(let verified) where verified.provenance == traffic.provenance:
            return ReadPostback(recorded, verified.postback, keyName: verified.keyName)
        case .verified(let verified):
            let reason = "recorded as \(traffic.rawValue), verifies as \(verified.provenance.rawValue)"
            note(.unverified(id, reason: reason))
        case .undecided(let reason, _):
            note(.unverified(id, reason: "could not be verified: \(reason)"))
        case .rejected(let rejection, _):
            if rejection.lacksKey(of: traffic, recorded.keyName),
                let postback = recorded.body.flatMap({ try? ReceivedPostback(reading: $0) })
            {
                return ReadPostback(recorded, postback, keyName: nil)
            }
            note(.unverified(id, reason: "does not verify again: \(rejection)"))
        }
        return nil
    }

    /// Counts a postback that was read, unless nothing proves its bytes.
    ///
    /// - Parameters:
    ///   - read: What was read.
    ///   - areDigestsRight: Whether the store has the digests of the bytes.
    /// - Returns: Whether it was counted.
    package mutating func confirm(_ read: ReadPostback, areDigestsRight: Bool) -> Bool {
        let id = read.recorded.id
        if let keyName = read.keyName {
            verified += 1
            if keyName != read.recorded.keyName {
                note(.keyName(id, keyName))
            }
        } else if areDigestsRight {
            unverifiedTest += 1
        } else {
            note(.unverified(id, reason: "its digests do not match, and the key that verified it was not named"))
            return false
        }
        if !areDigestsRight {
            note(.digests(id))
        }
        return true
    }
}

extension PostbackRejection {
    /// Whether a recorded postback was rejected only because the key that verified it is not among the keys now.
    func lacksKey(of traffic: Traffic, _ keyName: String) -> Bool {
        switch self {
        // If that key was tried too, the bytes are not those that were recorded.
        case .invalidSignature(let keys): traffic == .test && !keys.contains(keyName)
        case .unknownKey: traffic == .test
        case .notJSON, .malformed, .unknownVersion, .notUnderstood: false
        }
    }
}

/// The result of a repair.
package struct RecountRepair: Hashable, Sendable {
    /// What was found before.
    package let found: Recount
    /// What is found now: everything that cannot be derived from the raw bytes remains.
    package private(set) var remaining: Recount

    /// How many differences were repaired.
    package var repaired: Int64 {
        max(0, found.differenceCount - remaining.differenceCount)
    }

    /// The most rounds: a recount lists a bounded number of differences, and repairing some may reveal others.
    private static let rounds = 100

    /// Repairs and recounts until a round mends nothing more.
    package init(
        recount: () async throws -> Recount, repair: ([RecountDifference]) async throws -> Void
    ) async throws {
        found = try await recount()
        remaining = found
        for _ in 0..<Self.rounds where remaining.repairableCount > 0 {
            let before = remaining.repairableCount
            try await repair(remaining.differences.filter(\.isRepairable))
            remaining = try await recount()
            guard remaining.repairableCount < before else {
                return
            }
        }
    }
}
