/// The result of recounting a store from its raw bytes.
package struct Recount: Hashable, Sendable {
    /// Recorded postbacks read again.
    package var postbacks: Int64 = 0
    /// Recorded postbacks whose signature was verified again.
    package var verified: Int64 = 0
    /// Test postbacks whose key was not named this time; their bytes were read but not verified.
    package var unverifiedTest: Int64 = 0
    /// Differences between what is stored and what the raw bytes say; empty when all is well.
    ///
    /// Of lost rows, of what else a repair can mend, and of the others, the first ``differencesListed`` each.
    package var differences: [RecountDifference] = []
    /// How many differences there are in all.
    package var differenceCount: Int64 = 0

    /// Rows that a repair can rebuild, the first ``mostLostRows``.
    package private(set) var lostRows: [LostRow] = []

    /// Whether columns and counts have to stay as they are: they are all that says when some lost postbacks came, whose
    /// bytes may verify another time, or which times damage changed.
    package var mustKeepCounts = false

    /// The quarters of an hour whose counts have to stay, because rows that may be counted there are contradicted, and
    /// nothing tells which is right.
    package var keptQuarters: Set<Int64> = []

    /// Whether every count of deliveries can be read, so that those of ``keptQuarters`` stay where their tables are made
    /// again.
    package var areCountsReadable = false

    /// The most differences listed of each kind.
    package static let differencesListed: Int64 = 10_000
    /// The most lost rows that are looked at at once, to bound memory; a repair comes to the others when these are rebuilt.
    package static let mostLostRows = 1 << 20

    /// How many differences can be repaired.
    package private(set) var repairableCount: Int64 = 0
    private var otherCount: Int64 = 0

    /// Nothing was read yet.
    package init() {}

    /// Notes a difference.
    package mutating func note(_ difference: RecountDifference) {
        note(unlisted: 1, isRepairable: difference.isRepairable)
        let count: Int64
        // A repair needs the listed ones, so no other kind must crowd them out.
        if case .lostRow(let row) = difference {
            lostRows.append(row)
            count = Int64(lostRows.count)
        } else {
            count = difference.isRepairable ? repairableCount - Int64(lostRows.count) : otherCount
        }
        if count <= Self.differencesListed {
            differences.append(difference)
        }
    }

    /// Counts differences beyond those that are listed.
    package mutating func note(unlisted count: Int64, isRepairable: Bool) {
        differenceCount += count
        if isRepairable {
            repairableCount += count
        } else {
            otherCount += count
        }
    }
}

/// The result of a repair.
package struct RecountRepair: Hashable, Sendable {
    /// What was found before.
    package var found: Recount
    /// How many differences were mended.
    package var repaired: Int64
    /// What is found now: everything that does not follow from the bytes stays.
    package var remaining: Recount

    /// Makes a result.
    package init(found: Recount, repaired: Int64, remaining: Recount) {
        self.found = found
        self.repaired = repaired
        self.remaining = remaining
    }
}
