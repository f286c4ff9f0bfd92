package import FoundationEssentials
package import NIOCore

/// Decides what one connection does next: no socket, no clock, no closure.
///
/// Reads one request at a time, hands it over, has its answer written, and ends. Each event changes the state; then
/// ``next(in:consumed:)`` is called until it has no action. The state is updated before an action is returned, so
/// whatever happens while it is carried out is an event like any other.
///
/// While an answer is awaited, further bytes stay unread, and reading stops once there are any.
///
/// It is all in one file so that its state can be private: only the events below change it.
package struct ConnectionStateMachine {
    /// How far the connection is from its end.
    private enum Phase {
        case open
        /// The last answer is being written.
        case closing
        /// The last answer is written; further input is dropped, so that no reset overtakes the answer.
        case lingering
        case closed
    }

    private var peer: ConnectionPeer
    /// Whether it is open to probes only, for one request.
    private let isReserved: Bool
    private var reader: RequestReader
    private var phase = Phase.open
    /// The request whose answer is awaited.
    private var inFlight: RequestInFlight?
    /// The number of the request handed over last.
    private var number = 0
    /// How many requests were read to their end.
    private var completeCount = 0
    private var isStopping = false
    /// Whether the client sends nothing more, so that it has probably gone away.
    package private(set) var isInputClosed = false
    /// Whether bytes wait until the request before them is answered.
    private var hasUnread = false
    /// Whether the client asked to close and sent nothing afterwards, so that closing at once causes no reset.
    private var endsCleanly = false
    private var lingeredBytes = 0
    private var isWritable = true
    private var isReadHeld = false
    /// The time of the last event.
    private var now: NIODeadline
    /// When the bytes being read arrived.
    private var receivedAt = Date.distantPast
    private var deadline: NIODeadline
    private var writeDeadline = NIODeadline.distantFuture
    /// How many bytes of answers were unsent when ``writeDeadline`` was set.
    private var backlog = 0
    /// Whether the client is waited for no longer, unless it takes its answers.
    private var isEnding = false
    /// While ``isEnding``: until when the client has to take something, and how many bytes were unsent.
    private var pause = (end: NIODeadline.distantFuture, unsent: Int.max)

    package init(
        peer: ConnectionPeer, isReserved: Bool = false, routes: IngressRoutes, limits: IngressLimits,
        at now: NIODeadline
    ) {
        self.peer = peer
        self.isReserved = isReserved
        self.now = now
        reader = RequestReader(routes: routes, limits: limits, forwarding: peer.forwarding)
        deadline = now + limits.headDeadline
    }

    // MARK: Events

    /// The proxy at the other end has named the client, before the first byte.
    mutating func identified(as client: ConnectionPeer) {
        peer = client
        reader.use(client.forwarding)
    }

    /// Bytes have arrived; they are passed to ``next(in:consumed:)``.
    package mutating func bytesArrived(at now: NIODeadline, receivedAt: Date) {
        self.now = now
        self.receivedAt = receivedAt
    }

    /// The route has answered a request.
    package mutating func answered(_ number: Int, at now: NIODeadline) -> AnswerForm? {
        guard number == self.number, let request = inFlight.take() else { return nil }
        self.now = now
        return answerForm(request)
    }

    /// The last answer is handed to the channel.
    package mutating func lastAnswerHandedOver(unsent: Int) {
        if case .closing = phase { takesLast(unsent) }
    }

    /// The socket has taken the last answer.
    package mutating func lastAnswerWritten(at now: NIODeadline) -> ConnectionAction? {
        guard case .closing = phase else { return nil }
        guard !endsCleanly, !isInputClosed else { return .close }
        phase = .lingering
        writeDeadline = .distantFuture
        deadline = now + reader.limits.lingerDeadline
        return .closeOutput
    }

    /// The channel became writable, or stopped being so.
    package mutating func writabilityChanged(_ isWritable: Bool, unsent: Int, at now: NIODeadline) {
        self.now = now
        self.isWritable = isWritable
        // After the last answer its deadline remains until the client has everything.
        guard case .open = phase else { return }
        backlog = unsent
        writeDeadline = isWritable ? .distantFuture : now + reader.limits.writeDeadline
        if isWritable { awaitInput() }
    }

    /// The channel asks whether it may read.
    package mutating func readRequested() -> Bool {
        let mayRead =
            switch phase {
            case .lingering, .closed: true
            case .closing: false
            case .open: isWritable && (inFlight == nil || (reader.stage == .idle && !hasUnread))
            }
        if !mayRead { isReadHeld = true }
        return mayRead
    }

    /// The client sends nothing more; it may still read.
    package mutating func inputClosed(at now: NIODeadline) -> ConnectionAction? {
        self.now = now
        isInputClosed = true
        if case .lingering = phase { return .close }
        if inFlight != nil, !hasUnread { reader.finish() }
        return nil
    }

    /// The server stops: the connection ends as soon as its current request is answered.
    package mutating func serverStops(at now: NIODeadline) -> ConnectionAction? {
        self.now = now
        isStopping = true
        guard case .open = phase, reader.stage == .idle || reader.stage == .opening else { return nil }
        reader.finish()
        return inFlight == nil ? end() : nil
    }

    /// The server stops and waits no longer for its clients: only for routes, and while a client takes its answers.
    package mutating func waitsNoLonger(at now: NIODeadline, unsent: () -> Int) -> ConnectionAction? {
        isEnding = true
        reader.finish()
        return timePassed(at: now, unsent: unsent)
    }

    /// The connection is closed.
    package mutating func closed() -> RequestInFlight? {
        phase = .closed
        reader.finish()
        return inFlight.take()
    }

    /// Time has passed.
    package mutating func timePassed(at now: NIODeadline, unsent: () -> Int) -> ConnectionAction? {
        self.now = now
        // Unless a request is being answered, the client has to do something next.
        if isEnding, inFlight == nil || !isWritable, !takesAnswers(unsent()) { return .cutOff(.stopDeadline) }
        if now >= writeDeadline {
            let unsent = unsent()
            guard unsent + reader.limits.outboundBytes <= backlog else { return .cutOff(.writeDeadline) }
            backlog = unsent
            writeDeadline = now + reader.limits.writeDeadline
        }
        switch phase {
        case .closing, .closed: return nil
        case .lingering: return now >= deadline ? .cutOff(.lingerBound) : nil
        // While the client takes its answers, nothing is read from it.
        case .open: return now >= deadline && (isWritable || inFlight != nil) ? deadlinePassed() : nil
        }
    }

    /// Whether the client has anything to take and has not paused for too long.
    private mutating func takesAnswers(_ unsent: Int) -> Bool {
        if unsent < pause.unsent { pause.end = now + reader.limits.stopPause }
        pause.unsent = unsent
        return unsent > 0 && now < pause.end
    }

    private mutating func deadlinePassed() -> ConnectionAction? {
        if let request = inFlight.take() {
            reader.finish()
            return .refuse(.unanswered(retryAfter: reader.limits.retryAfter), answerForm(request))
        }
        switch reader.stage {
        case .opening: return .cutOff(.headDeadline)
        case .idle:
            // A request that is on its way would be carried out, and its answer could not be sent any more.
            reader.finish()
            phase = .closed
            return .closeIdle
        case .head: return refuse(.deadlinePassed(part: "head"))
        case .body, .discarding: return refuse(.deadlinePassed(part: "body"))
        case .finished: return .cutOff(.writeDeadline)
        }
    }

    // MARK: Actions

    /// Decides on one action.
    package mutating func next(in unread: UnsafeRawBufferPointer, consumed: inout Int) -> ConnectionAction? {
        consumed = 0
        defer { hasUnread = consumed < unread.count }
        if reader.stage == .finished {
            drop(unread.count, &consumed)
            if consumed > 0, case .lingering = phase, lingeredBytes > reader.limits.lingerBytes {
                return .cutOff(.lingerBound)
            }
        } else if inFlight == nil, isWritable, case .open = phase {
            let action = unread.isEmpty ? nil : readRequest(unread, &consumed)
            if reader.stage == .finished { drop(unread.count - consumed, &consumed) }
            if let action { return action }
            if isInputClosed { return inputEnded() }
        }
        return resumeReading()
    }

    private mutating func readRequest(_ unread: UnsafeRawBufferPointer, _ consumed: inout Int) -> ConnectionAction? {
        while true {
            if consumed < unread.count { beginRequestIfNone() }
            switch reader.next(in: unread, consumed: &consumed) {
            case .unfinished:
                return nil
            case .head(let expectsContinue):
                deadline = reader.startedAt + reader.limits.requestDeadline
                if expectsContinue { return .sendContinue }
            case .complete:
                return didReadRequest(isLast: isInputClosed && consumed == unread.count)
            case .refused(let refusal):
                return refuse(refusal)
            }
        }
    }

    private mutating func beginRequestIfNone() {
        switch reader.stage {
        case .opening:
            // The head's deadline runs from the connection.
            reader.begin(at: now)
        case .idle:
            reader.begin(at: now)
            deadline = now + reader.limits.headDeadline
        case .head, .body, .discarding, .finished:
            break
        }
    }

    private mutating func didReadRequest(isLast: Bool) -> ConnectionAction? {
        guard let route = reader.route, let method = reader.method else {
            return reader.refusal.map { refuseComplete($0, isLast: isLast) }
        }
        if let refusal = reader.refusal { return refuseComplete(refusal, isLast: isLast) }
        if isReserved, !route.servesProbes {
            return refuseComplete(.tooManyConnections(probes: reader.routes.probes), isLast: isLast)
        }
        inFlight = reader.inFlight(isComplete: true)
        let request = IngressRequest(
            route: route, method: method, target: reader.target, fields: reader.fields, body: reader.takeBody(),
            receivedAt: receivedAt, client: nil)
        let client = peer.client(forwarded: reader.forwarded)
        didComplete(isLast: isLast)
        deadline = now + reader.limits.answerDeadline
        number += 1
        return .handOver(request, client, number: number)
    }

    private mutating func refuseComplete(_ refusal: IngressRefusal, isLast: Bool) -> ConnectionAction {
        let request = reader.inFlight(isComplete: true)
        _ = reader.takeBody()
        didComplete(isLast: isLast)
        return .refuse(refusal, answerForm(request))
    }

    /// Prepares for the next request, or for none.
    private mutating func didComplete(isLast: Bool) {
        completeCount += 1
        let keepsAlive = reader.keepsAlive && !isReserved && !isLast
        if keepsAlive, !isStopping, completeCount < reader.limits.requestsPerConnection {
            reader.becomeIdle()
        } else {
            endsCleanly = !reader.keepsAlive
            reader.finish()
        }
    }

    /// Refuses the request being read and takes no other.
    private mutating func refuse(_ refusal: IngressRefusal) -> ConnectionAction {
        let request = reader.inFlight(isComplete: false)
        _ = reader.takeBody()
        reader.finish()
        endsCleanly = false
        return .refuse(refusal, answerForm(request))
    }

    /// How to write the answer of a request that is no longer in flight.
    private mutating func answerForm(_ request: RequestInFlight) -> AnswerForm {
        let isLast = reader.stage == .finished
        if isLast {
            phase = .closing
            takesLast(0)
        } else {
            awaitInput()
        }
        return AnswerForm(request: request, isLast: isLast)
    }

    /// Sets the deadline for the client's input, once it has every answer.
    private mutating func awaitInput() {
        guard inFlight == nil, case .open = phase else { return }
        switch reader.stage {
        case .opening, .idle: deadline = now + reader.limits.idleDeadline
        case .head: deadline = now + reader.limits.headDeadline
        case .body, .discarding: deadline = now + reader.limits.requestDeadline
        case .finished: break
        }
    }

    /// Nothing more comes from the client, which has all its answers.
    private mutating func inputEnded() -> ConnectionAction {
        switch reader.stage {
        case .head, .body, .discarding: return refuse(.incompleteRequest)
        case .opening, .idle, .finished:
            reader.finish()
            return end()
        }
    }

    /// Ends the connection once its answers are written.
    private mutating func end() -> ConnectionAction {
        guard completeCount > 0 else { return .close }
        phase = .closing
        endsCleanly = true
        takesLast(0)
        return .finishWriting
    }

    /// Gives the client time for what it has still to take.
    private mutating func takesLast(_ unsent: Int) {
        backlog = unsent
        writeDeadline = now + reader.limits.writeDeadline
        deadline = .distantFuture
    }

    /// Drops bytes received after the last request.
    private mutating func drop(_ count: Int, _ consumed: inout Int) {
        guard count > 0 else { return }
        consumed += count
        endsCleanly = false
        lingeredBytes += count
    }

    private mutating func resumeReading() -> ConnectionAction? {
        guard isReadHeld else { return nil }
        switch phase {
        case .lingering: break
        case .open: guard isWritable, inFlight == nil else { return nil }
        case .closing, .closed: return nil
        }
        isReadHeld = false
        return .read
    }
}

extension NIODeadline {
    fileprivate static func + (moment: NIODeadline, duration: Duration) -> NIODeadline {
        moment + TimeAmount(duration)
    }
}
