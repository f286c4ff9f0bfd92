import NIOCore

/// One request on its way from its last byte to its answer.
struct IngressExchange {
    /// What is to happen with it.
    enum Outcome {
        /// It goes to the handler.
        case accepted(IngressRequest)
        /// The ingress answers it.
        case refused(IngressRefusal)
    }

    /// The method; `nil` when the head was never read whole.
    let method: IngressMethod?
    let route: IngressRoute?
    /// Whether the answer must say that the connection stays open, as HTTP/1.0 needs.
    let announcesKeepAlive: Bool
    let startedAt: NIODeadline
    /// Bytes of the body.
    let bodyBytes: Int
}
