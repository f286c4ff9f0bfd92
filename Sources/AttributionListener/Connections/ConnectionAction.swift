package import FoundationEssentials

/// What a connection has to do next; see ``ConnectionStateMachine``.
package enum ConnectionAction: Equatable {
    /// Call the route, then ``ConnectionStateMachine/routeReturned()``.
    ///
    /// The number is that of the request on its connection, from 1 on.
    case handOver(CompleteRequest, number: Int)
    /// Write a refusal.
    case refuse(IngressRefusal, AnswerForm)
    /// Write `100 Continue`.
    case sendContinue
    /// Pass the read on that was held.
    case read
    /// Close the sending side: the last answer is written, and what the client still sends is dropped.
    case closeOutput
    /// Close in order.
    case close
    /// Close in order, and count why.
    case closeIdle
    /// Close at once, without waiting for anything of the client's, and count why.
    case cutOff(Disconnect)

    /// Why a connection ends without an answer: the label of a counter.
    package enum Disconnect: String, Sendable {
        case headDeadline = "head-deadline"
        case idleDeadline = "idle-deadline"
        case writeDeadline = "write-deadline"
        case lingerBound = "linger-bound"
        case stopDeadline = "stop-deadline"
    }
}

/// A complete request that goes to its route.
package struct CompleteRequest: Equatable {
    package let route: IngressRoute
    /// The body, with the transfer coding taken off.
    package let body: [UInt8]
    /// The client: the peer, or what a trusted proxy reported.
    package let client: InternetAddress?
    /// When its last byte came.
    package let receivedAt: Date
}

/// How an answer is written.
package struct AnswerForm: Equatable {
    package let request: RequestInFlight
    /// Whether the connection closes after it.
    package let isLast: Bool
}
