import Attribution
import Logging
import NIOCore
import NIOSSL

/// One connection in its channel: passes events to its ``ConnectionStateMachine`` and carries out its actions.
///
/// It decides nothing itself. Whatever an action triggers (a change of writability, the end of the channel) is passed
/// to the machine like any other event.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let loop: IngressLoop
    /// The other end, or the client that it named in a PROXY header.
    private(set) var peer: ConnectionPeer
    /// Whether it is open to probes only.
    let isReserved: Bool
    /// Nil before the handler is added and after the channel is closed.
    private(set) var context: ChannelHandlerContext?
    /// The client of every request, unless a proxy names another; computed for the first.
    private lazy var ownClient = peer.address?.clientText
    private var encoder = IngressAnswerEncoder()
    private var machine: ConnectionStateMachine
    /// Bytes received and not yet consumed.
    private var unread = ByteBuffer()
    /// The request that its route has not answered, also after the connection is closed.
    private var owed: (number: Int, share: ClientShares.Holder?)?
    private var isCallingRoute = false
    /// What the route answered before it returned.
    private var earlyAnswer: IngressAnswer?
    /// What answers the current request, where that ends with the client.
    private var work: Task<Void, Never>? {
        didSet { if machine.isInputClosed { work?.cancel() } }
    }

    /// Makes the handler of a connection that the census has admitted.
    init(loop: IngressLoop, peer: ConnectionPeer, isReserved: Bool) {
        self.loop = loop
        self.peer = peer
        self.isReserved = isReserved
        machine = ConnectionStateMachine(
            peer: peer, isReserved: isReserved, routes: loop.settings.routes, limits: loop.settings.limits, at: .now())
    }

    // MARK: Events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        didClose()
    }

    func channelInactive(context: ChannelHandlerContext) {
        didClose()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if unread.readableBytes == 0 {
            unread = unwrapInboundIn(data)
        } else {
            // Otherwise everything that a client sends while its requests wait stays allocated.
            unread.discardReadBytes()
            unread.writeImmutableBuffer(unwrapInboundIn(data))
        }
        machine.bytesArrived(at: .now(), receivedAt: loop.settings.now())
        act()
        // The channel may use the memory again.
        if unread.readableBytes == 0 { unread = ByteBuffer() }
    }

    func read(context: ChannelHandlerContext) {
        if machine.readRequested() { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        machine.writabilityChanged(context.channel.isWritable, unsent: unsent, at: .now())
        act()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            work?.cancel()
            act(machine.inputClosed(at: .now()))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        loop.settings.logger.debug(
            "a connection failed",
            metadata: ["remote": "\(peer.address?.description ?? "unknown")", "error": "\(error)"])
        context.close(promise: nil)
    }

    func checkDeadlines(_ now: NIODeadline) {
        act(machine.timePassed(at: now) { unsent })
    }

    /// Ends the connection as soon as its current request is answered.
    func stop() {
        act(machine.serverStops(at: .now()))
    }

    /// Ends the connection if it waits for its client, unless the client takes its answers.
    func waitNoLonger(_ now: NIODeadline) {
        act(machine.waitsNoLonger(at: now) { unsent })
    }

    /// Closes at once, without waiting for the client, and leaves the census.
    func end(_ reason: ConnectionAction.Disconnect) {
        perform(.cutOff(reason))
        didClose()
    }

    /// The bytes of answers that the system has not taken.
    private var unsent: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Forgets the connection, once.
    private func didClose() {
        guard context != nil else { return }
        context = nil
        work?.cancel()
        work = nil
        if let request = machine.closed() { record(request, status: 0, answerBytes: 0, reason: "client-gone") }
        loop.remove(self)
        loop.census.leave(peer.network, isReserved: isReserved)
    }

    // MARK: The PROXY protocol

    /// Takes the client that a trusted proxy named, before anything of the connection itself was read; false if that
    /// client has too many connections.
    ///
    /// Without a client the connection is the proxy's own, and what it says of other clients is not trusted.
    func identify(_ client: InternetAddress?) -> Bool {
        let named =
            client.map { ConnectionPeer($0, trustedProxies: loop.settings.trustedProxies) }
            ?? ConnectionPeer(peer.address, trustedProxies: .none)
        if !isReserved, let network = named.network, !loop.census.identify(network) {
            loop.noteOverCap(.overAddressCap)
            return false
        }
        peer = named
        machine.identified(as: named)
        return true
    }

    /// Counts and reports a connection that is closed for its PROXY header, or because it has none.
    func refuseProxyHeader(_ reason: String, hint: String) {
        loop.metrics.countDisconnect(.proxyHeader)
        loop.noteProxyHeader(reason, peer, hint: hint)
    }

    // MARK: Actions

    /// Carries out an action, and everything that follows from it.
    private func act(_ first: ConnectionAction? = nil) {
        if let first { perform(first) }
        while let action = nextAction() { perform(action) }
    }

    private func nextAction() -> ConnectionAction? {
        var consumed = 0
        guard unread.readableBytes > 0 else {
            return machine.next(in: UnsafeRawBufferPointer(start: nil, count: 0), consumed: &consumed)
        }
        let action = unread.withUnsafeReadableBytes { machine.next(in: $0, consumed: &consumed) }
        unread.moveReaderIndex(forwardBy: consumed)
        return action
    }

    private func perform(_ action: ConnectionAction) {
        switch action {
        case .handOver(let request, let client, let number): callRoute(request, client, number: number)
        case .refuse(let refusal, let form): write(refusal, form)
        case .sendContinue: context?.writeAndFlush(wrapOutboundOut(encoder.encodeContinue()), promise: nil)
        case .read: context?.read()
        case .closeOutput: closeOutput()
        case .close: context?.close(promise: nil)
        case .finishWriting: writeLast(ByteBuffer())
        case .closeIdle:
            loop.metrics.countDisconnect(.idleDeadline)
            context?.close(promise: nil)
        case .cutOff(let reason): cutOff(reason)
        }
    }

    private func closeOutput() {
        guard let context else { return }
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenFailure { [self] _ in self.context?.close(promise: nil) }
        context.close(mode: .output, promise: closed)
    }

    private func cutOff(_ reason: ConnectionAction.Disconnect) {
        guard let context else { return }
        loop.metrics.countDisconnect(reason)
        // Bypasses the TLS handler, whose closing handshake waits for the client.
        if let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    // MARK: Routes

    /// Calls the route, unless the client's share of requests in flight is used up.
    private func callRoute(_ request: IngressRequest, _ client: InternetAddress?, number: Int) {
        var share: ClientShares.Holder?
        if peer.isShareBounded(client) {
            let holder = client?.clientNetwork
            guard loop.census.shares.take(holder) else {
                loop.metrics.countRefusal(ClientShares.refusal.code)
                return answer(
                    IngressAnswer(refusing: ClientShares.refusal), number: number,
                    reason: ClientShares.refusal.code.rawValue)
            }
            share = holder
        }
        owed = (number, share)
        loop.unansweredCount += 1
        var received = request
        received.client = peer.isProxy ? client?.clientText : ownClient
        let (mailbox, address) = (loop.mailbox, NIOLoopBound(self, eventLoop: loop.eventLoop))
        isCallingRoute = true
        switch loop.handler {
        case .callback(let take):
            take(received) { mailbox.post((address, number, $0)) }
        case .task(let respond):
            let task = Task { [received] in mailbox.post((address, number, await respond(received))) }
            loop.tasks[ObjectIdentifier(self)] = task
            if request.route.endsWithClient { work = task }
        }
        isCallingRoute = false
        if let early = earlyAnswer.take() { answer(early, number: number) }
    }

    /// Takes the route's answer to the request with a number; a second one is dropped.
    func take(_ answer: IngressAnswer, number: Int) {
        guard let owed, owed.number == number else { return }
        self.owed = nil
        loop.unansweredCount -= 1
        loop.tasks[ObjectIdentifier(self)] = nil
        if let share = owed.share { loop.census.shares.giveBack(share) }
        if isCallingRoute {
            earlyAnswer = answer
        } else {
            self.answer(answer, number: number)
            act()
        }
    }

    private func answer(_ answer: IngressAnswer, number: Int, reason: String? = nil) {
        // Not wanted any more after a deadline, or when the client has gone.
        guard let form = machine.answered(number, at: .now()) else { return }
        work = nil
        write(answer, form, reason: reason)
    }

    // MARK: Answers

    /// Writes the answer of a refused request.
    private func write(_ refusal: IngressRefusal, _ form: AnswerForm) {
        loop.metrics.countRefusal(refusal.code)
        let page = form.request.acceptsPages ? loop.settings.routes.refusalPage : nil
        var answer = page?(refusal) ?? IngressAnswer(refusing: refusal)
        switch refusal {
        case .unanswered:
            work?.cancel()
            work = nil
            loop.noteUnanswered(form.request)
        case .methodNotAllowed(_, let allowed): answer.set("Allow", allowed)
        // RFC 9110, section 12.5.3.
        case .unsupportedContentCoding: answer.set("Accept-Encoding", "identity")
        default: break
        }
        write(answer, form, reason: refusal.code.rawValue)
    }

    /// Writes an answer, and closes the connection once the socket has taken its last one.
    private func write(_ answer: IngressAnswer, _ form: AnswerForm, reason: String? = nil) {
        guard let context else { return }
        let (bytes, body) = encoder.encode(
            answer, isLast: form.isLast, announcesKeepAlive: form.request.announcesKeepAlive,
            omitsBody: form.request.method == .head)
        record(
            form.request, status: answer.status, answerBytes: answer.body.count, reason: reason, caller: answer.caller)
        if body != nil { context.write(wrapOutboundOut(bytes), promise: nil) }
        if form.isLast {
            writeLast(body ?? bytes)
        } else {
            context.writeAndFlush(wrapOutboundOut(body ?? bytes), promise: nil)
        }
    }

    private func writeLast(_ bytes: ByteBuffer) {
        guard let context else { return }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            if case .success = result {
                act(machine.lastAnswerWritten(at: .now()))
            } else {
                self.context?.close(promise: nil)
            }
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
        machine.lastAnswerHandedOver(unsent: unsent)
    }

    /// Counts and logs a request; status 0 means it got no answer.
    private func record(
        _ request: RequestInFlight, status: Int, answerBytes: Int, reason: String?, caller: String? = nil
    ) {
        loop.metrics.countRequest(route: request.route, status: status, caller: caller)
        // A copy of the settings would cost each request their retains.
        guard loop.settings.logger.logLevel <= loop.settings.accessLogLevel else { return }
        let settings = loop.settings
        let elapsed = Double((NIODeadline.now() - request.startedAt).nanoseconds) / 1_000_000
        var metadata: Logger.Metadata = [
            "method": .string(request.method?.rawValue ?? "none"),
            "route": .string(request.route?.path ?? "none"),
            "status": .stringConvertible(status),
            "body_bytes": .stringConvertible(request.bodyBytes),
            "answer_bytes": .stringConvertible(answerBytes),
            "duration_ms": .stringConvertible(elapsed),
        ]
        if let reason { metadata["reason"] = .string(reason) }
        settings.logger.log(level: settings.accessLogLevel, "request", metadata: metadata)
    }
}
