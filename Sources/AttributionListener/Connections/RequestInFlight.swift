package import NIOCore

/// One request between its last byte and its answer: what the answer, the counters and the log need to know.
package struct RequestInFlight: Equatable {
    /// The method; `nil` when the head was never complete.
    package let method: IngressMethod?
    package let route: IngressRoute?
    /// Whether the answer must say that the connection stays open, as HTTP/1.0 needs.
    package let announcesKeepAlive: Bool
    package let startedAt: NIODeadline
    /// Bytes of the body.
    package let bodyBytes: Int
}
