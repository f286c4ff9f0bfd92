import Attribution

/// What an explanation has cost so far, counted and not measured, so that it does not depend on load.
package struct RepairWork: Hashable, Sendable {
    /// How many repairs were rendered and read.
    package private(set) var candidates = 0
    /// The bytes of these.
    package private(set) var bytes = 0
    /// The bytes that were looked at for repairs, once for each kind of repair.
    package private(set) var listedBytes = 0
    /// How many signatures were verified.
    package private(set) var verified = 0
    /// How long it takes a usual machine, in nanoseconds.
    package private(set) var cost = 0

    /// The most that an explanation may cost, but for the last step: 30 milliseconds.
    package static let limit = 30_000_000

    /// Nothing was done yet.
    package init() {}

    /// Whether nothing more may be done.
    package var isExhausted: Bool {
        cost >= Self.limit
    }

    /// Says that the repairs of some kind are listed.
    ///
    /// - Parameter count: The bytes of names and values.
    /// - Returns: Whether they may be.
    mutating func spend(listing count: Int) -> Bool {
        guard !isExhausted else {
            return false
        }
        listedBytes += count
        cost += 1_000 + 6 * count
        return true
    }

    /// Says that a body is rendered, read and hashed.
    mutating func spend(reading count: Int) {
        candidates += 1
        bytes += count
        // Most are short; longer ones get fewer repairs.
        cost += 5_000 + 22 * count + 25 * max(0, count - 1_500)
    }

    /// Says that a signature is verified with a key of each of some curves.
    mutating func spend(verifying curves: [SignatureCurve], hasTables: Bool) {
        verified += 1
        for curve in curves {
            cost += hasTables ? 20_000 : curve == .p192 ? 200_000 : 65_000
        }
    }
}
