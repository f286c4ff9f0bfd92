/// What a store has made itself of a delivery that was copied into its quarantine: judged again, it left or changed.
///
/// It is noted until the source has made something of the same delivery. Then the note is added to what was copied of the
/// source's counts, so that the delivery is not moved in the counts a second time.
package struct MovedDelivery: Hashable, Sendable {
    /// The reason for which it was copied; nil when it has it again.
    package var reason: String?
    /// Whether it was recorded here.
    package var isRecorded = false

    /// Nothing is known yet.
    package init() {}

    /// Takes a sum of the notes.
    package mutating func take(status: String, reason: String, count: Int64) {
        if status == "recorded" {
            isRecorded = count > 0
        } else if status == "quarantined", count < 0 {
            self.reason = reason
        }
    }
}
