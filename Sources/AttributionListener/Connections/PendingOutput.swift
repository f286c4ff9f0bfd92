/// What a client does not have yet of its answers, in bytes.
package struct PendingOutput: Equatable, Sendable {
    /// What is not handed to the system yet.
    package let unsent: Int
    /// What the client has not taken, with what the system keeps for it: some megabytes for a client that is slow.
    package let untaken: Int

    /// Nothing is pending.
    package static let none = PendingOutput(unsent: 0, queued: 0)

    /// Adds up what is pending.
    ///
    /// - Parameters:
    ///   - unsent: What is not handed to the system yet.
    ///   - queued: What the system keeps.
    package init(unsent: Int, queued: Int) {
        self.unsent = unsent
        untaken = unsent + queued
    }
}
