package import FoundationEssentials
package import NIOCore

/// Decides what one connection does next: no socket, no clock, no closure.
///
/// Assembles requests, hands over one at a time, has answers written in order, and ends. Each event changes the state;
/// then ``next(in:consumed:)`` is called until it has no action. The state is updated before an action is returned, so
/// whatever happens while it is carried out is an event like any other.
///
/// Reading continues while an answer is awaited, so that an idle client costs no change of registration, and stops as
/// soon as another request begins to arrive.
///
/// It is all in one file so that its state can be private: only the events below change it.
package struct ConnectionStateMachine {
    /// How far the connection is from its end.
    private enum Phase {
        case open
        /// The last answer is being written.
        case closing
        /// No request follows, and the last answer is among those that the client has still to take.
        case draining
        /// The last answer is written; further input is dropped, so that no reset overtakes the answer.
        case lingering
        case closed
    }

    /// The order in which connections give way to new ones.
    package enum Rank: Int, Comparable {
        case noRequestYet
        case noRequestNow
        case unfinishedBody

        package static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private let peer: ConnectionPeer
    /// Whether it is open to probes only, for one request.
    private let isReserved: Bool
    private let deadlines: ConnectionDeadlines
    private var reader: RequestReader
    private var phase = Phase.open
    private var answers = AnswerQueue()
    private var completeCount = 0
    private var isStopping = false
    /// Whether the client sends nothing more, so that it has probably gone away.
    package private(set) var isInputClosed = false
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
    /// Since when the client has been waited for.
    private var waitingSince: NIODeadline
    private var writeDeadline = NIODeadline.distantFuture
    /// How many bytes the client had still to take when ``writeDeadline`` was set.
    private var backlog = 0
    /// Whether the client is waited for no longer, unless it takes its answers.
    private var isEnding = false
    /// While ``isEnding``: until when the client has to take something, and how many bytes it had still to take.
    private var pause = (end: NIODeadline.distantFuture, untaken: Int.max)

    /// Begins with an open connection.
    ///
    /// - Parameters:
    ///   - peer: Its other end.
    ///   - isReserved: Whether it is open to probes only, for one request.
    ///   - routes: The paths that are served.
    ///   - limits: The bounds.
    ///   - now: The time.
    package init(
        peer: ConnectionPeer, isReserved: Bool = false, routes: IngressRoutes, limits: IngressLimits,
        at now: NIODeadline
    ) {
        self.peer = peer
        self.isReserved = isReserved
        self.now = now
        deadlines = ConnectionDeadlines(limits)
        reader = RequestReader(routes: routes, limits: limits, forwarding: peer.forwarding)
        deadline = now + deadlines.head
        waitingSince = now
    }

    // MARK: State

    /// Its rank for giving way to a new connection, and since when it has had it; nil while it must not.
    package var rank: (rank: Rank, since: NIODeadline)? {
        switch phase {
        case .closed, .closing, .draining: return nil
        case .lingering: return (.noRequestNow, waitingSince)
        case .open: break
        }
        guard answers.isEmpty, isWritable else { return nil }
        return switch reader.stage {
        case .opening: (.noRequestYet, waitingSince)
        case .head where completeCount == 0: (.noRequestYet, waitingSince)
        case .idle, .head, .finished: (.noRequestNow, waitingSince)
        case .body, .discarding: (.unfinishedBody, waitingSince)
        }
    }

    /// Whether the client has to do something next: always, unless a request is being answered.
    private var awaitsClient: Bool { !answers.isInFlight || !isWritable }

    // MARK: Events

    /// Bytes have arrived; they are passed to ``next(in:consumed:)``.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - receivedAt: The time of day.
    package mutating func bytesArrived(at now: NIODeadline, receivedAt: Date) {
        self.now = now
        self.receivedAt = receivedAt
    }

    /// The route has returned from the call that ``ConnectionAction/handOver(_:number:)`` asked for.
    package mutating func routeReturned() {
        answers.routeReturned()
    }

    /// The route has answered a request.
    ///
    /// - Parameters:
    ///   - number: The number it was handed over with.
    ///   - now: The time.
    /// - Returns: How the answer is to be written now; `nil` when it is no longer wanted.
    package mutating func answered(_ number: Int, at now: NIODeadline) -> AnswerForm? {
        guard let request = answers.takeAnswered(number) else { return nil }
        self.now = now
        return answerForm(request)
    }

    /// The last answer is handed to the channel.
    ///
    /// - Parameter output: What is pending.
    package mutating func lastAnswerHandedOver(_ output: PendingOutput) {
        if case .closing = phase { takesLast(output) }
    }

    /// The socket has taken the last answer.
    package mutating func lastAnswerWritten(at now: NIODeadline) -> ConnectionAction? {
        guard case .closing = phase else { return nil }
        guard !endsCleanly, !isInputClosed else { return .close }
        phase = .lingering
        writeDeadline = .distantFuture
        wait(deadlines.linger, since: now)
        return .closeOutput
    }

    /// The channel became writable, or stopped being so.
    ///
    /// - Parameters:
    ///   - isWritable: Whether it is.
    ///   - output: What is pending.
    ///   - now: The time.
    package mutating func writabilityChanged(_ isWritable: Bool, _ output: PendingOutput, at now: NIODeadline) {
        self.now = now
        self.isWritable = isWritable
        // After the last answer its deadline remains until the client has everything.
        guard case .open = phase else { return }
        backlog = output.untaken
        writeDeadline = isWritable ? .distantFuture : now + deadlines.write
        if isWritable { awaitInput() }
    }

    /// The channel asks whether it may read.
    ///
    /// - Returns: `false` to hold the read until ``ConnectionAction/read``.
    package mutating func readRequested() -> Bool {
        let mayRead =
            switch phase {
            case .lingering, .closed: true
            case .closing, .draining: false
            case .open: isWritable && answers.waitingCount == 0 && (!answers.isInFlight || reader.stage == .idle)
            }
        if !mayRead { isReadHeld = true }
        return mayRead
    }

    /// The client sends nothing more; it may still read.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - output: What is pending.
    /// - Returns: What to do about it.
    package mutating func inputClosed(at now: NIODeadline, _ output: PendingOutput) -> ConnectionAction? {
        self.now = now
        isInputClosed = true
        switch (phase, reader.stage) {
        case (.lingering, _):
            return .close
        case (.open, .head), (.open, .body), (.open, .discarding):
            return refuse(.incompleteRequest)
        case (.open, _):
            reader.finish()
            return answers.isEmpty ? end(output) : nil
        case (.closing, _), (.draining, _), (.closed, _):
            return nil
        }
    }

    /// The server stops: the connection ends as soon as its current request is answered.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - output: What is pending.
    /// - Returns: What to do about it.
    package mutating func serverStops(at now: NIODeadline, _ output: PendingOutput) -> ConnectionAction? {
        self.now = now
        isStopping = true
        guard case .open = phase, reader.stage == .idle || reader.stage == .opening else { return nil }
        reader.finish()
        return answers.isEmpty ? end(output) : nil
    }

    /// The server stops and waits no longer for its clients: only for routes, and while a client takes its answers.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - output: What is pending.
    /// - Returns: What to do about it.
    package mutating func waitsNoLonger(at now: NIODeadline, _ output: () -> PendingOutput) -> ConnectionAction? {
        isEnding = true
        dropRequestsBehind()
        return timePassed(at: now, output)
    }

    /// Whether the client has anything to take and has not paused for too long.
    private mutating func takesAnswers(_ output: PendingOutput) -> Bool {
        if output.untaken < pause.untaken { pause.end = now + deadlines.stopPause }
        pause.untaken = output.untaken
        return output.untaken > 0 && now < pause.end
    }

    /// Ends the connection once the client has its answers.
    private mutating func end(_ output: PendingOutput) -> ConnectionAction? {
        guard output.unsent > 0 else { return .close }
        phase = .draining
        takesLast(output)
        return nil
    }

    /// Gives the client time for what it has still to take.
    private mutating func takesLast(_ output: PendingOutput) {
        backlog = output.untaken
        writeDeadline = now + deadlines.write
        deadline = .distantFuture
    }

    /// The connection is closed.
    ///
    /// - Returns: The request left without an answer.
    package mutating func closed() -> RequestInFlight? {
        let request = answers.takeInFlight()
        phase = .closed
        reader.finish()
        answers.removeWaiting()
        return request
    }

    /// Time has passed.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - output: What is pending.
    /// - Returns: What to do about a deadline.
    package mutating func timePassed(at now: NIODeadline, _ output: () -> PendingOutput) -> ConnectionAction? {
        self.now = now
        if isEnding, awaitsClient, !takesAnswers(output()) { return .cutOff(.stopDeadline) }
        if now >= writeDeadline {
            let untaken = output().untaken
            guard untaken + reader.limits.outboundBytes <= backlog else { return .cutOff(.writeDeadline) }
            backlog = untaken
            writeDeadline = now + deadlines.write
        }
        switch phase {
        case .draining: return output().unsent > 0 ? nil : .close
        case .closing, .closed: return nil
        case .lingering: return now >= deadline ? .cutOff(.lingerBound) : nil
        // While the client takes its answers, nothing is read from it.
        case .open: return now >= deadline && (isWritable || answers.isInFlight) ? deadlinePassed() : nil
        }
    }

    /// Takes nothing after the request that is being answered; the client has to send those queued behind it again.
    private mutating func dropRequestsBehind() {
        answers.removeWaiting()
        reader.finish()
    }

    private mutating func deadlinePassed() -> ConnectionAction? {
        if let request = answers.takeInFlight() {
            dropRequestsBehind()
            return .refuse(.unanswered(retryAfter: reader.limits.retryAfter), answerForm(request))
        }
        guard answers.isEmpty else { return nil }
        switch reader.stage {
        case .opening: return .cutOff(.headDeadline)
        case .idle: return .closeIdle
        case .head: return refuse(.deadlinePassed(part: "head"))
        case .body, .discarding: return refuse(.deadlinePassed(part: "body"))
        case .finished: return .cutOff(.writeDeadline)
        }
    }

    // MARK: Actions

    /// Decides on one action.
    ///
    /// - Parameters:
    ///   - unread: Every byte received and not yet consumed.
    ///   - consumed: How many of them were consumed.
    /// - Returns: The action; `nil` when there is nothing to do until the next event.
    package mutating func next(in unread: UnsafeRawBufferPointer, consumed: inout Int) -> ConnectionAction? {
        consumed = 0
        guard !answers.isCallingRoute else { return nil }
        if let action = nextInTurn() { return action }
        if !unread.isEmpty, let action = readRequests(unread, &consumed) { return action }
        return resumeReading()
    }

    /// Starts on the next queued request, or sends an interim answer that is due.
    private mutating func nextInTurn() -> ConnectionAction? {
        guard case .open = phase, isWritable else { return nil }
        if let (request, outcome) = answers.popNext() { return start(request, outcome) }
        guard reader.owesContinue, answers.isEmpty else { return nil }
        reader.didSendContinue()
        return .sendContinue
    }

    /// Reads every request that is there; those that cannot be started on now are queued.
    private mutating func readRequests(
        _ unread: UnsafeRawBufferPointer,
        _ consumed: inout Int
    ) -> ConnectionAction? {
        while reader.stage != .finished {
            if consumed < unread.count { beginRequestIfNone() }
            var action: ConnectionAction?
            switch reader.next(in: unread, consumed: &consumed) {
            case .unfinished:
                return nil
            case .head:
                if answers.isEmpty {
                    wait(deadlines.request, since: reader.startedAt)
                    action = nextInTurn()
                }
            case .complete:
                action = didReadRequest()
            case .refused(let refusal):
                action = refuse(refusal)
            }
            if let action, reader.stage != .finished { return action }
            if let action {
                drop(unread.count - consumed)
                consumed = unread.count
                return action
            }
        }
        drop(unread.count - consumed)
        consumed = unread.count
        guard case .lingering = phase, lingeredBytes > reader.limits.lingerBytes else { return nil }
        return .cutOff(.lingerBound)
    }

    private mutating func beginRequestIfNone() {
        switch reader.stage {
        case .opening:
            // The head's deadline runs from the connection.
            reader.begin(at: now)
        case .idle:
            reader.begin(at: now)
            if answers.isEmpty { wait(deadlines.head, since: now) }
        case .head, .body, .discarding, .finished:
            break
        }
    }

    private mutating func didReadRequest() -> ConnectionAction? {
        let request = reader.inFlight(isComplete: true)
        let outcome: AnswerQueue.Outcome
        if let refusal = reader.refusal {
            outcome = .refused(refusal)
        } else if let route = request.route, let method = request.method {
            let body = reader.takeBody()
            outcome =
                isReserved && !route.servesProbes
                ? .refused(.tooManyConnections(probes: reader.routes.probes))
                : .accepted(
                    CompleteRequest(
                        route: route, method: method, target: reader.target, fields: reader.fields, body: body,
                        client: peer.client(forwarded: reader.forwarded), receivedAt: receivedAt))
        } else {
            return nil
        }
        completeCount += 1
        let keepsAlive = reader.keepsAlive && !isReserved
        if keepsAlive, !isStopping, completeCount < reader.limits.requestsPerConnection {
            reader.becomeIdle()
        } else {
            reader.finish()
            endsCleanly = !reader.keepsAlive
        }
        return submit(request, outcome)
    }

    /// Refuses the request being read and takes no other.
    private mutating func refuse(_ refusal: IngressRefusal) -> ConnectionAction? {
        let request = reader.inFlight(isComplete: false)
        _ = reader.takeBody()
        reader.finish()
        endsCleanly = false
        return submit(request, .refused(refusal))
    }

    private mutating func submit(_ request: RequestInFlight, _ outcome: AnswerQueue.Outcome) -> ConnectionAction? {
        if answers.isEmpty, isWritable, case .open = phase { return start(request, outcome) }
        answers.append(request, outcome)
        if answers.waitingCount >= reader.limits.pipelinedRequests, reader.stage != .finished {
            reader.finish()
            endsCleanly = false
        }
        return nil
    }

    private mutating func start(_ request: RequestInFlight, _ outcome: AnswerQueue.Outcome) -> ConnectionAction {
        switch outcome {
        case .accepted(let complete):
            deadline = now + deadlines.answer
            return .handOver(complete, number: answers.callRoute(for: request))
        case .refused(let refusal):
            return .refuse(refusal, answerForm(request))
        }
    }

    /// How to write the answer of a request that is no longer in flight.
    private mutating func answerForm(_ request: RequestInFlight) -> AnswerForm {
        let isLast = reader.stage == .finished && answers.isEmpty
        if isLast {
            phase = .closing
            takesLast(.none)
        } else {
            awaitInput()
        }
        return AnswerForm(request: request, isLast: isLast)
    }

    /// Sets the deadline for the client's input, once it has every answer.
    private mutating func awaitInput() {
        guard answers.isEmpty, case .open = phase else { return }
        switch reader.stage {
        case .opening, .idle: wait(deadlines.idle, since: now)
        case .head: wait(deadlines.head, since: now)
        case .body, .discarding: wait(deadlines.request, since: now)
        case .finished: break
        }
    }

    /// Waits for the client.
    private mutating func wait(_ amount: TimeAmount, since start: NIODeadline) {
        deadline = start + amount
        waitingSince = start
    }

    /// Counts bytes received after the last request.
    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        endsCleanly = false
        lingeredBytes += count
    }

    private mutating func resumeReading() -> ConnectionAction? {
        guard isReadHeld else { return nil }
        switch phase {
        case .lingering: break
        case .open: guard isWritable, answers.isEmpty else { return nil }
        case .closing, .draining, .closed: return nil
        }
        isReadHeld = false
        return .read
    }
}
