import AttributionListener
import AttributionSigning
import Logging
import NIOCore
import NIOPosix
import Platform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The connection to one external signer, made anew whenever it ends.
final class SignerClient: Sendable {
    private struct State {
        var exchange: SignerExchange
        var keys: Set<ExternalKey>
        var channel: (any Channel)?
        var isClosed = false
        var pause = SignerClient.pauses.lowerBound
        var timer: RepeatedTask?
        /// A key may fail and sign in turns, with every request.
        var faultThrottle = LogThrottle(lines: 5, every: .seconds(10))
    }

    /// How long it waits before the next attempt to connect: longer each time, up to a second.
    private static let pauses = Duration.milliseconds(50)...Duration.seconds(1)
    /// How often it looks for what has taken too long.
    private static let tick = TimeAmount.milliseconds(20)

    private let socket: String
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let logger: Logger
    private let state: Mutex<State>

    /// Begins to connect.
    init(socket: String, keys: Set<ExternalKey>, limits: SignerExchange.Limits, logger: Logger) {
        self.socket = socket
        self.logger = logger
        state = Mutex(State(exchange: SignerExchange(socket: socket, limits: limits), keys: keys))
        let timer = eventLoop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.update { $0.exchange.expire(at: .now) }
        }
        state.withLock { $0.timer = timer }
        connect()
    }

    /// Whether a key can be used; nil if that is not known yet.
    func verdict(on key: ExternalKey) -> Result<Void, ExternalSignerError>? {
        state.withLock { $0.exchange.verdict(on: key) }
    }

    /// Whether the signer answers.
    var isPresent: Bool {
        state.withLock { $0.exchange.condition == .present }
    }

    /// Takes other keys to sign with.
    func use(_ keys: Set<ExternalKey>) {
        update { state in
            let new = keys.subtracting(state.keys)
            state.keys = keys
            return state.exchange.sample(new, digest: Self.sampleDigest(), at: .now)
        }
    }

    /// Requests signatures; each is answered once.
    func submit(_ requests: [(request: SignatureRequest, answer: SignerExchange.Answer)]) {
        update { state in
            let now = ContinuousClock.now
            return requests.flatMap { state.exchange.submit($0.request, at: now, answer: $0.answer) }
        }
    }

    /// Leaves the signer for good; what it has not answered is refused.
    func close() {
        let (timer, channel) = state.withLock { state in
            state.isClosed = true
            return (state.timer, state.channel.take())
        }
        timer?.cancel()
        update { $0.exchange.disconnected("it is no longer in the list of keys") }
        channel?.close(promise: nil)
    }

    // MARK: Events

    private func update(_ change: (inout State) -> [SignerExchange.Action]) {
        let (actions, channel) = state.withLock { state in
            let actions = change(&state)
            let channel = state.channel
            if actions.contains(where: { if case .close = $0 { true } else { false } }) { state.channel = nil }
            if state.exchange.condition == .present { state.pause = Self.pauses.lowerBound }
            return (actions, channel)
        }
        for action in actions {
            switch action {
            case .send(let bytes): channel?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .answer(let answer, let result): answer(result)
            case .close:
                channel?.close(promise: nil)
                reconnect()
            case .noteCondition(let condition): note(condition)
            case .noteFault(let key, let error):
                state.withLock { state in
                    logger.log(
                        level: .error, "an external signer cannot sign with a key", throttle: &state.faultThrottle,
                        at: .now, metadata: ["signer": "\(socket)", "key": "\(key.name)", "error": "\(error)"])
                }
            }
        }
    }

    private func note(_ condition: SignerExchange.Condition) {
        // A signer that is left on purpose is no fault.
        guard !state.withLock({ $0.isClosed }) else { return }
        switch condition {
        case .present: logger.notice("external signer answers", metadata: ["signer": "\(socket)"])
        case .away(let reason):
            logger.error(
                "external signer is away; signing with its keys is refused",
                metadata: ["signer": "\(socket)", "error": "\(reason)"])
        case .starting: break
        }
    }

    // MARK: The connection

    private func reconnect() {
        let pause = state.withLock { state in
            defer { state.pause = min(state.pause * 2, Self.pauses.upperBound) }
            return state.pause
        }
        eventLoop.scheduleTask(in: TimeAmount(pause)) { [weak self] in self?.connect() }
    }

    private func connect() {
        guard !state.withLock({ $0.isClosed }) else { return }
        let path: SocketPath
        do {
            path = try SocketPath(socket)
        } catch {
            return failed(error.description)
        }
        ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(1))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SignerChannelHandler(self))
                }
            }
            .connect(unixDomainSocketPath: path.text)
            .whenComplete { result in
                // A long path is valid as long as its object.
                withExtendedLifetime(path) {
                    switch result {
                    case .success(let channel): self.connected(channel)
                    case .failure(let error): self.failed(Self.reason(of: error))
                    }
                }
            }
    }

    private static func reason(of error: any Error) -> String {
        switch (error as? IOError)?.errnoCode {
        case ENOENT?: "there is no socket"
        case ECONNREFUSED?: "nothing listens at its socket"
        case EACCES?, EPERM?: "its socket belongs to another user"
        case let number?: String(cString: strerror(number))
        case nil: "the connection could not be made"
        }
    }

    private func connected(_ channel: any Channel) {
        guard channel.isActive else { return failed("it closed the connection") }
        update { state in
            // close() either finds the channel or is noticed here.
            guard !state.isClosed else { return [] }
            state.channel = channel
            state.exchange.connected(at: .now)
            return state.exchange.sample(state.keys, digest: Self.sampleDigest(), at: .now)
        }
        if state.withLock({ $0.isClosed }) { channel.close(promise: nil) }
    }

    private func failed(_ reason: String) {
        update { $0.exchange.disconnected(reason) }
        reconnect()
    }

    /// Bytes have come on a channel.
    fileprivate func received(_ bytes: ByteBuffer, on channel: any Channel) {
        update { state in
            guard state.channel === channel else { return [] }
            return state.exchange.received(bytes.readableBytesView, at: .now)
        }
    }

    /// A channel has ended.
    fileprivate func ended(_ channel: any Channel) {
        let isCurrent = state.withLock { state in
            guard state.channel === channel else { return false }
            state.channel = nil
            return true
        }
        if isCurrent { failed("it closed the connection") }
    }

    /// A digest of nothing that anyone could use, for a sample.
    private static func sampleDigest() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Passes what comes from a signer to its client.
private final class SignerChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: SignerClient

    init(_ client: SignerClient) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.received(unwrapInboundIn(data), on: context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.ended(context.channel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
