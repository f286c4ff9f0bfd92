import NIOCore

/// Assembles the requests of one connection from its bytes.
struct RequestReader {
    /// What the next byte belongs to.
    enum Stage {
        /// The first request; none of its bytes has arrived.
        case opening
        /// A later request; none of its bytes has arrived.
        case idle
        /// A request whose head is unfinished.
        case head
        /// A request whose body is kept.
        case body
        /// A refused request whose body is dropped before the answer.
        case discarding
        /// Nothing: no further request is taken from this connection.
        case finished
    }

    /// What a call found.
    enum Event {
        /// More bytes are needed.
        case unfinished
        /// A head is complete, and its body is read next; the client may wait for `100 Continue`.
        case head(expectsContinue: Bool)
        /// The request is complete; ``RequestReader/takeBody()`` gives its body.
        case complete
        /// The request is refused, and no other can follow it.
        case refused(IngressRefusal)
    }

    private var framing: IngressFraming
    private var body: [UInt8] = []
    private var droppedBytes = 0
    private(set) var stage = Stage.opening
    /// When the first byte of the request arrived.
    private(set) var startedAt = NIODeadline.distantPast

    /// Whether the connection may continue after the request.
    var keepsAlive: Bool { framing.head?.keepsAlive ?? false }
    /// Why the request cannot be served, found in its head.
    var refusal: IngressRefusal? { framing.head?.refusal }
    var route: IngressRoute? { framing.head?.route }
    var method: IngressMethod? { framing.head?.method }
    /// The values of the field trusted proxies write.
    var forwarded: [String] { framing.head?.forwarded ?? [] }
    /// Its path and query, where routes are handed them.
    var target: RequestTarget? { framing.head?.target }
    /// The fields that routes are handed.
    var fields: HeaderFields { framing.head?.fields ?? HeaderFields() }
    var limits: IngressLimits { framing.limits }
    var routes: IngressRoutes { framing.routes }

    init(routes: IngressRoutes, limits: IngressLimits, forwarding: ForwardingField?) {
        framing = IngressFraming(routes: routes, limits: limits, forwarding: forwarding)
    }

    /// Takes clients from another field than at first, or from none.
    mutating func use(_ forwarding: ForwardingField?) {
        framing.forwarding = forwarding
    }

    /// Starts the clock of a request with its first byte.
    mutating func begin(at now: NIODeadline) {
        stage = .head
        startedAt = now
        droppedBytes = 0
    }

    /// Reads up to the end of a head, of a request, or of the bytes.
    mutating func next(in bytes: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        while true {
            var step = 0
            let event = framing.next(in: bytes[bytes: consumed..<bytes.count], consumed: &step)
            consumed += step
            switch event {
            case .unfinished:
                return .unfinished
            case .head:
                return didReadHead()
            case .body(let count):
                // A body may come in many small chunks.
                if let refusal = take(bytes[bytes: (consumed - count)..<consumed]) { return .refused(refusal) }
            case .end:
                return .complete
            case .refused(let refusal):
                return .refused(refusal)
            }
        }
    }

    private mutating func didReadHead() -> Event {
        let expectsContinue = framing.head?.expectsContinue ?? false
        if let refusal = framing.head?.refusal {
            guard refusal.keepsConnection, !expectsContinue else { return .refused(refusal) }
            stage = .discarding
            return .head(expectsContinue: false)
        }
        stage = .body
        return .head(expectsContinue: expectsContinue)
    }

    /// Keeps or drops bytes of a body; returns why the request cannot continue, if it cannot.
    private mutating func take(_ bytes: UnsafeRawBufferPointer) -> IngressRefusal? {
        let limit = framing.limits.bodyBytes
        if case .discarding = stage {
            droppedBytes += bytes.count
            return droppedBytes <= limit ? nil : framing.head?.refusal ?? .bodyTooLarge(limit: limit)
        }
        guard body.count + bytes.count <= limit else { return .bodyTooLarge(limit: limit) }
        if body.isEmpty { body.reserveCapacity(max(bytes.count, framing.head?.declaredBytes ?? 0)) }
        body.append(contentsOf: bytes)
        return nil
    }

    /// The request as its answer needs it.
    func inFlight(isComplete: Bool) -> RequestInFlight {
        RequestInFlight(
            method: framing.head?.method, route: framing.head?.route,
            announcesKeepAlive: isComplete && framing.head?.isLegacy == true && framing.head?.keepsAlive == true,
            startedAt: startedAt, bodyBytes: body.count + droppedBytes,
            acceptsPages: framing.head?.fields.acceptsPages == true)
    }

    /// Removes and returns the body.
    mutating func takeBody() -> [UInt8] {
        let taken = body
        body = []
        return taken
    }

    /// Prepares for the next request.
    mutating func becomeIdle() {
        stage = .idle
    }

    /// Takes no further request.
    mutating func finish() {
        stage = .finished
    }
}
