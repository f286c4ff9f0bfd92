import Attribution
package import AttributionStore
import FoundationEssentials
import StrictJSON

/// The outcome of a recount or a repair, as an answer of the console.
package struct RecountOutcome: Sendable, Codable, Equatable {
    /// Recorded postbacks read again.
    package let postbacks: Int64
    /// Those whose signature was verified again.
    package let verified: Int64
    /// Test postbacks whose key is not trusted.
    package let unverifiedTest: Int64
    /// How many differences were found.
    package let found: Int64
    /// How many were repaired.
    package let repaired: Int64
    /// How many remain.
    package let remaining: Int64
    /// Descriptions of those found; at most ten thousand.
    package let differences: [String]
    /// Descriptions of those that remain; at most ten thousand.
    package let remainingDifferences: [String]

    private enum CodingKeys: String, CodingKey {
        case postbacks, verified, found, repaired, remaining, differences
        case unverifiedTest = "unverified-test"
        case remainingDifferences = "remaining-differences"
    }

    /// The outcome of a recount, which changed nothing.
    package init(_ recount: Recount) {
        self.init(found: recount, repaired: 0, remaining: recount)
    }

    /// The outcome of a repair.
    package init(_ repair: RecountRepair) {
        self.init(found: repair.found, repaired: repair.repaired, remaining: repair.remaining)
    }

    private init(found: Recount, repaired: Int64, remaining: Recount) {
        postbacks = remaining.postbacks
        verified = remaining.verified
        unverifiedTest = remaining.unverifiedTest
        self.found = found.differenceCount
        self.repaired = repaired
        self.remaining = remaining.differenceCount
        differences = found.differences.map(\.description)
        remainingDifferences = remaining.differences.map(\.description)
    }

    /// The answer.
    var json: JSONText {
        .object([
            "status": .string("done"),
            "postbacks": .integer(postbacks),
            "verified": .integer(verified),
            "unverified-test": .integer(unverifiedTest),
            "found": .integer(found),
            "repaired": .integer(repaired),
            "remaining": .integer(remaining),
            "differences": .array(differences.map(JSONText.string)),
            "remaining-differences": .array(remainingDifferences.map(JSONText.string)),
        ])
    }
}
