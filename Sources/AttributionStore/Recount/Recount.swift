/// The result of recounting a store from its raw bytes.
package struct Recount: Hashable, Sendable {
    /// How many recorded postbacks were read.
    package internal(set) var postbacks: Int64 = 0
    /// How many recorded postbacks were verified.
    package internal(set) var verified: Int64 = 0
    /// How many test postbacks were read but not verified, because their key was not given.
    package internal(set) var unverifiedTest: Int64 = 0
    /// The differences between what is stored and what the raw bytes say.
    ///
    /// Only the first ``differencesListed`` repairable ones and as many others are listed.
    package internal(set) var differences: [RecountDifference] = []
    /// The number of all differences.
    package internal(set) var differenceCount: Int64 = 0

    /// The most differences listed of either kind.
    package static let differencesListed: Int64 = 10_000

    /// How many differences can be repaired.
    private(set) var repairableCount: Int64 = 0
    private var otherCount: Int64 = 0

    /// Adds a difference.
    mutating func note(_ difference: RecountDifference) {
        differenceCount += 1
        if difference.isRepairable {
            repairableCount += 1
        } else {
            otherCount += 1
        }
        // A repair needs the listed ones, so the other kind must not crowd them out.
        if (difference.isRepairable ? repairableCount : otherCount) <= Self.differencesListed {
            differences.append(difference)
        }
    }
}

/// The result of a repair.
package struct RecountRepair: Hashable, Sendable {
    /// The recount before the repair.
    package internal(set) var found: Recount
    /// How many differences were repaired.
    package internal(set) var repaired: Int64
    /// The recount after the repair.
    package internal(set) var remaining: Recount
}
