import Logging
import NIOCore

/// One connection: assembles requests, hands over one at a time, writes answers in order, and ends.
///
/// Reading goes on while an answer is awaited, so that an idle client costs no change of registration, and stops as
/// soon as a further request begins to arrive.
final class IngressConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What the next byte belongs to.
    enum Input {
        /// The first request; no byte of it has come.
        case opening
        /// A later request; no byte of it has come.
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

    /// How far the connection is from its end.
    enum Phase {
        case open
        /// The last answer is being written.
        case closing
        /// The last answer is written; what still comes is dropped, so that no reset overtakes it.
        case lingering
        case closed
    }

    let loop: IngressLoop
    let peer: InternetAddress?
    /// Whether the peer is trusted to name its client.
    let isProxied: Bool
    /// Whom the census counts it for.
    let network: InternetAddress?
    /// The client of every request, unless a proxy names another; made with the first.
    private(set) lazy var ownClient = peer?.clientText

    var context: ChannelHandlerContext?
    /// The socket, while it took every answer at once; nil under TLS.
    var socket: IngressSocket?
    var phase = Phase.open
    var input = Input.opening
    var isInputClosed = false
    var isStopping = false
    /// Whether the client asked for the end and sent nothing after it, so that closing at once resets nothing.
    var endsCleanly = false

    // The request being read.
    var framing: IngressFraming
    /// Bytes received and not consumed yet: at most one line, or what a handler's call into this object brought.
    var unread = ByteBuffer()
    var isFraming = false
    var head: IngressHead? { framing.head }
    var body: [UInt8] = []
    var startedAt = NIODeadline.distantPast
    var droppedBytes = 0
    var owesContinue = false
    var acceptedCount = 0

    // The requests being answered.
    var pending: IngressExchange?
    var queue = CircularBuffer<(IngressExchange, IngressExchange.Outcome)>(initialCapacity: 1)
    var isAdvancing = false
    /// The request the handler is at, even if nobody waits for it any more.
    var outstanding: UInt64?
    var encoder = IngressAnswerEncoder()

    var isWritable = true
    var isReadHeld = false
    var lingeredBytes = 0
    var deadline = NIODeadline.distantFuture
    var writeDeadline = NIODeadline.distantFuture

    var limits: IngressLimits { loop.settings.limits }
    var isAnswering: Bool { pending != nil || !queue.isEmpty }

    /// Makes the connection's state; the census must have admitted it.
    init(loop: IngressLoop, peer: InternetAddress?, isProxied: Bool, network: InternetAddress?) {
        self.loop = loop
        self.peer = peer
        self.isProxied = isProxied
        self.network = network
        framing = IngressFraming(
            routes: loop.settings.routes, limits: loop.settings.limits,
            forwarding: isProxied ? loop.settings.trustedProxies.field : nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if loop.settings.tls == nil { socket = IngressSocket(context.channel) }
        deadline = .now() + loop.deadlines.head
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
        didRead(unwrapInboundIn(data))
    }

    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        writeDeadline = isWritable ? .distantFuture : .now() + loop.deadlines.write
        if isWritable { advance() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { didCloseInput() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        loop.settings.logger.debug(
            "a connection failed",
            metadata: ["remote": "\(peer?.description ?? "unknown")", "error": "\(error)"]
        )
        context.close(promise: nil)
    }

    /// Lets reading go on after the reason for holding it has passed.
    func resumeReading() {
        guard isReadHeld, mayRead, let context else { return }
        isReadHeld = false
        context.read()
    }

    private var mayRead: Bool {
        switch phase {
        case .lingering, .closed: true
        case .closing: false
        case .open: isWritable && queue.isEmpty && (pending == nil || input == .idle)
        }
    }
}
