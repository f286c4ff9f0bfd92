/// The results of requeuing deliveries.
package struct Requeued: Hashable, Sendable {
    /// How many were judged.
    package var judged: Int64 = 0
    /// How many were recorded.
    package var recorded: Int64 = 0
    /// How many are repeats of recorded postbacks.
    package var duplicate: Int64 = 0
    /// How many contradict recorded postbacks.
    package var conflict: Int64 = 0
    /// How many stay in the quarantine, for the same reason or another.
    package var stayed: Int64 = 0

    /// Creates results of zero deliveries.
    package init() {}

    /// Adds the results of further deliveries.
    package static func += (lhs: inout Self, rhs: Self) {
        lhs.judged += rhs.judged
        lhs.recorded += rhs.recorded
        lhs.duplicate += rhs.duplicate
        lhs.conflict += rhs.conflict
        lhs.stayed += rhs.stayed
    }
}
