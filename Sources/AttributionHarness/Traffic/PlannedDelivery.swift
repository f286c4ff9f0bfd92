package import Attribution

/// A simulated delivery and the expected answer.
package struct PlannedDelivery: Sendable {
    /// The expected answer of a server.
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
    /// The expected answer; a repeat that overtakes the first copy swaps answers with it.
    package let expectation: Expectation
    /// Whether it may only be sent when all others of its plan were answered, because the order decides what counts.
    package let isSentLast: Bool
    /// How it is sent.
    package var transport = Transport.whole
    /// Whose copy it is, which decides where it is sent.
    package var recipient = Delivery.Recipient.network
    /// The framework of the postback it is, or is made from.
    package var framework = PostbackFramework.skAdNetwork
}
