/// A place for one keep-alive connection with at most one request under way.
struct LoadConnection {
    enum State {
        case closed
        /// Connecting, with a request to send as soon as it is.
        case connecting
        case idle
        case waiting
    }

    var state = State.closed
    var socket: LoadSocket?
    /// The request under way, by its place in the pool.
    var request = 0
    /// When it was sent, or should have been.
    var since: UInt64 = 0
    /// Answers this connection has brought.
    var served = 0
    /// Bytes of its answer so far.
    var received = 0
}
