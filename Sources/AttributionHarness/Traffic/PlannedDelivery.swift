package import Attribution

/// A simulated delivery and the expected answer.
package struct PlannedDelivery: Sendable {
    /// The expected answer of a server.
    package enum Expectation: Hashable, Sendable {
        /// 200 with this status and, in quarantine, this reason.
        case durable(Recording.Status, PostbackRejection.Code?)
        /// 400: not JSON.
        case refused
    }

    /// The bytes to send.
    package let body: [UInt8]
    /// The expected answer; a repeat that overtakes the first copy swaps answers with it.
    package let expectation: Expectation
    /// Whether it must be sent after all others of its plan are answered, because order decides what is counted.
    package let isSentLast: Bool
}
