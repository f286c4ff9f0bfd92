package import Attribution

/// One POST of a simulation and the answer it must get.
package struct PlannedDelivery: Sendable {
    /// What a server must answer.
    package enum Expectation: Hashable, Sendable {
        /// 200 with this status and, in quarantine, this reason.
        case durable(Recording.Status, PostbackRejection.Code?)
        /// 400: not JSON.
        case refused
        /// Nothing: the sender went away before its end.
        case none
    }

    /// How a body is sent.
    package enum Transport: Hashable, Sendable {
        /// All at once.
        case whole
        /// In pieces, with pauses between them.
        case inPieces
        /// Half of it, then the connection is cut.
        case cut
    }

    /// The bytes to send.
    package let body: [UInt8]
    /// The answer it must get; a repeat that overtakes the first copy swaps answers with it.
    package let expectation: Expectation
    /// Whether it may only be sent when all others of its plan were answered, because the order decides what counts.
    package let isLast: Bool
    /// How it is sent.
    package var transport = Transport.whole
}
