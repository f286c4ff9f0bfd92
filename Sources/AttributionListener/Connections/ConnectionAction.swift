package import NIOCore

/// What a connection has to do next; see ``ConnectionStateMachine``.
package enum ConnectionAction {
    /// Call the route for a client; ``IngressRequest/client`` is not set yet. The number is that of the request on its
    /// connection, counted from 1.
    case handOver(IngressRequest, InternetAddress?, number: Int)
    /// Write a refusal.
    case refuse(IngressRefusal, AnswerForm)
    /// Write `100 Continue`.
    case sendContinue
    /// Pass on the read that was held back.
    case read
    /// Close the sending side: the last answer is written, and further input is dropped.
    case closeOutput
    /// Close gracefully.
    case close
    /// Write everything, then report ``ConnectionStateMachine/lastAnswerWritten(at:)``.
    case finishWriting
    /// Close gracefully, and count the reason.
    case closeIdle
    /// Close at once, without waiting for the client, and count the reason.
    case cutOff(Disconnect)

    /// Why a connection ends without an answer: the label of a counter.
    package enum Disconnect: String, Sendable {
        case headDeadline = "head-deadline"
        case idleDeadline = "idle-deadline"
        case writeDeadline = "write-deadline"
        case lingerBound = "linger-bound"
        case stopDeadline = "stop-deadline"
        case proxyHeader = "proxy-header"
    }
}

/// One request between its last byte and its answer: what the answer, the counters and the log need to know.
package struct RequestInFlight {
    /// The method; `nil` when the head was never complete.
    package let method: IngressMethod?
    package let route: IngressRoute?
    /// Whether the answer must say that the connection stays open, as HTTP/1.0 needs.
    package let announcesKeepAlive: Bool
    package let startedAt: NIODeadline
    package let bodyBytes: Int
    /// Whether the client is a browser that shows a page.
    let acceptsPages: Bool
}

/// How an answer is written.
package struct AnswerForm {
    package let request: RequestInFlight
    /// Whether the connection closes after it.
    package let isLast: Bool
}
