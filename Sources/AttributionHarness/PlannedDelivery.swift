public import Attribution

/// One POST of a simulation and the answer it must get.
public struct PlannedDelivery: Sendable {
    /// What a server must answer.
    public enum Expectation: Hashable, Sendable {
        /// 200 with this status and, in quarantine, this reason.
        case durable(Recording.Status, PostbackRejection.Code?)
        /// 400: not JSON.
        case refused
    }

    /// The bytes to send.
    public let body: [UInt8]
    /// The answer it must get; a repeat that overtakes the first copy swaps answers with it.
    public let expectation: Expectation
    /// Whether it may only be sent when all others of its plan were answered, because the order decides what counts.
    public let isLast: Bool
}
