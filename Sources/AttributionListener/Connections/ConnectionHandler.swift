import Logging
import NIOCore

/// One connection in its channel: passes events to its ``ConnectionStateMachine`` and carries out its actions.
///
/// It decides nothing itself. Whatever an action triggers (an answer given while the route is called, a change of
/// writability, the end of the channel) is passed to the machine like any other event.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let loop: IngressLoop
    let peer: ConnectionPeer
    /// Whether it is open to probes only.
    let isReserved: Bool
    /// Nil before the handler is added and after the channel is closed.
    private(set) var context: ChannelHandlerContext?
    /// The client of every request, unless a proxy names another; computed for the first.
    private(set) lazy var ownClient = peer.address?.clientText
    /// Takes answers directly; nil under TLS and after the first partial write.
    var socket: ConnectionSocket?
    /// The socket, for what it keeps.
    private var transport: ConnectionSocket?
    var encoder = IngressAnswerEncoder()
    /// What answers the current request, where that ends with the client.
    var work: Task<Void, Never>? {
        didSet { if machine.isInputClosed { work?.cancel() } }
    }
    private var machine: ConnectionStateMachine
    /// Bytes received and not yet consumed; after each event at most one line.
    private var unread = ByteBuffer()

    /// Makes the handler of a connection that the census has admitted.
    init(loop: IngressLoop, peer: ConnectionPeer, isReserved: Bool) {
        self.loop = loop
        self.peer = peer
        self.isReserved = isReserved
        machine = ConnectionStateMachine(
            peer: peer, isReserved: isReserved, routes: loop.settings.routes, limits: loop.settings.limits, at: .now())
    }

    /// Its rank for giving way to a new connection; nil while it must not.
    var rank: (rank: ConnectionStateMachine.Rank, since: NIODeadline)? { machine.rank }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        transport = ConnectionSocket(context.channel)
        if loop.settings.tls == nil { socket = transport }
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
        machine.writabilityChanged(context.channel.isWritable, output, at: .now())
        act()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            work?.cancel()
            act(machine.inputClosed(at: .now(), output))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        loop.settings.logger.debug(
            "a connection failed",
            metadata: ["remote": "\(peer.address?.description ?? "unknown")", "error": "\(error)"]
        )
        context.close(promise: nil)
    }

    /// Takes the answer to the request with a number; one that is no longer wanted is dropped.
    func take(_ answer: IngressAnswer, number: Int) {
        guard let form = machine.answered(number, at: .now()) else { return }
        work = nil
        write(answer, form)
        act()
    }

    /// Answers a request in its route's stead, within ``callRoute(_:number:)``.
    func takeInCall(_ answer: IngressAnswer, number: Int, reason: String) {
        guard let form = machine.answered(number, at: .now()) else { return }
        write(answer, form, reason: reason)
    }

    /// Checks the deadlines.
    func checkDeadlines(_ now: NIODeadline) {
        act(machine.timePassed(at: now) { output })
    }

    /// What the client does not have yet of its answers.
    private var output: PendingOutput {
        let unsent = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return PendingOutput(unsent: unsent, queued: transport?.queued ?? 0)
    }

    /// Ends the connection as soon as its current request is answered.
    func stop() {
        act(machine.serverStops(at: .now(), output))
    }

    /// Ends the connection if it waits for its client, unless the client takes its answers.
    func waitNoLonger(_ now: NIODeadline) {
        act(machine.waitsNoLonger(at: now) { output })
    }

    /// Closes at once, without waiting for the client, and leaves the census.
    func end(_ reason: ConnectionAction.Disconnect) {
        perform(.cutOff(reason))
        didClose()
    }

    /// Notes that the last answer was handed to the channel.
    func didHandOverLastAnswer() {
        machine.lastAnswerHandedOver(output)
    }

    /// Notes that the socket has taken the last answer.
    func didWriteLastAnswer() {
        act(machine.lastAnswerWritten(at: .now()))
    }

    /// Calls a route.
    func callRoute(_ request: CompleteRequest, number: Int) {
        hand(over: request, number: number)
        machine.routeReturned()
    }

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

    /// Forgets the connection, once.
    private func didClose() {
        guard context != nil else { return }
        context = nil
        socket = nil
        transport = nil
        work?.cancel()
        work = nil
        if let request = machine.closed() { record(request, status: 0, answerBytes: 0, reason: "client-gone") }
        loop.remove(self)
        loop.census.leave(peer.network, isReserved: isReserved)
    }
}
