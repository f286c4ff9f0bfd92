import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A connection of a client, over which requests are sent one after the other.
struct HTTPConnection: Sendable {
    struct Outcome: Sendable {
        let answer: HTTPClient.Answer
        /// Whether the connection can take the next request.
        let isReusable: Bool
    }

    /// The connection ended before the head of the answer.
    struct Unanswered: Error {
        let cause: any Error
        /// Whether some of the request was sent, so that the server may have acted on it.
        let isSent: Bool
    }

    private let channel: any Channel
    private let handler: NIOLoopBound<HTTPExchangeHandler>

    var isActive: Bool { channel.isActive }

    /// Connects; the handshake of TLS, if any, is part of the first exchange.
    static func connect(
        to origin: HTTPClient.Request.Origin, until deadline: NIODeadline
    ) async throws -> HTTPConnection {
        // Connecting cannot be cancelled, so it gets a task of its own that can be abandoned.
        let connection = MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask {
            try await connect(to: origin)
        }
        do {
            return try await connection.get(until: deadline)
        } catch {
            connection.whenSuccess { $0.close() }
            throw error
        }
    }

    private static func connect(to origin: HTTPClient.Request.Origin) async throws -> HTTPConnection {
        let initialize: @Sendable (any Channel) -> EventLoopFuture<HTTPConnection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                switch origin {
                case .server(let host, _, isSecure: true), .routed(_, let host, _, isSecure: true):
                    try pipeline.addHandler(ClientTLS.handler(for: host))
                default: break
                }
                let handler = HTTPExchangeHandler()
                try pipeline.addHTTPClientHandlers()
                try pipeline.addHandler(handler)
                return HTTPConnection(channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
            }
        }
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(.seconds(5))
        switch origin {
        case .server(let host, let port, _):
            if let address = try? SocketAddress(ipAddress: host, port: port) {
                return try await bootstrap.connect(to: address, channelInitializer: initialize)
            }
            return try await bootstrap.connect(host: host, port: port, channelInitializer: initialize)
        case .routed(.addresses(let addresses), _, let port, _):
            var failure: any Error = HTTPClient.Failure.noAddress
            for address in addresses {
                do {
                    let address = try SocketAddress(ipAddress: address.description, port: port)
                    return try await bootstrap.connect(to: address, channelInitializer: initialize)
                } catch {
                    failure = error
                }
            }
            throw failure
        case .routed(.proxy(let proxy, let proxyPort), let host, let port, _):
            let channel = try await ProxyTunnel.open(to: host, port: port, through: proxy, port: proxyPort)
            return try await channel.eventLoop.flatSubmit { initialize(channel) }.get()
        case .socket(let path):
            let path = try SocketPath(path)
            defer { withExtendedLifetime(path) {} }
            return try await bootstrap.connect(unixDomainSocketPath: path.text, channelInitializer: initialize)
        }
    }

    /// Sends a request and waits for its answer; closes the connection when there is none.
    func send(
        _ request: HTTPClient.Request, keeping length: Int, until deadline: NIODeadline, pausing pause: TimeAmount?
    ) async throws -> Outcome {
        let outcome = channel.eventLoop.makePromise(of: Outcome.self)
        channel.eventLoop.execute {
            let exchange = HTTPExchangeHandler.Exchange(outcome: outcome, length: length, pause: pause)
            handler.value.begin(request, exchange, until: deadline)
        }
        async let _ = sendPieces(of: request.body, until: deadline)
        do {
            return try await outcome.futureResult.get(until: nil)
        } catch {
            close()
            throw error
        }
    }

    /// Sends a body in pieces after its head; a body that throws ends the exchange.
    private func sendPieces(of body: HTTPClient.Request.Body?, until deadline: NIODeadline) async {
        guard case .pieces(let pieces, _) = body else { return }
        do {
            for try await piece in pieces { try await write(.body(.byteBuffer(piece)), until: deadline) }
            try await write(.end(nil), until: deadline)
        } catch {
            close(error)
        }
    }

    private func write(_ part: HTTPClientRequestPart, until deadline: NIODeadline) async throws {
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute { handler.value.write([part], promise: written) }
        try await written.futureResult.get(until: deadline)
    }

    /// Closes the connection; an exchange on it ends with the error.
    func close(_ error: any Error = HTTPClient.Failure.closed) {
        channel.eventLoop.execute { handler.value.close(error) }
    }
}

/// Writes one request at a time and reads its answer.
private final class HTTPExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Exchange {
        let outcome: EventLoopPromise<HTTPConnection.Outcome>
        let length: Int
        let pause: TimeAmount?
        var timer: Scheduled<Void>?
        var isBegun = false
        var isSent = false
        var head: HTTPResponseHead?
        var body = ByteBuffer()
    }

    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    /// What ended the connection, perhaps before a request: a handshake may fail as soon as it begins.
    private var fault: (any Error)?
    /// Whether the connection ended without TLS's closing alert.
    private var isCut = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: The request

    func begin(_ request: HTTPClient.Request, _ exchange: Exchange, until deadline: NIODeadline) {
        self.exchange = exchange
        guard let context, context.channel.isActive else { return end(fault ?? HTTPClient.Failure.closed) }
        startTimer(until: deadline, context)
        switch request.body {
        case .whole(let bytes): write([.head(request.head), .body(.byteBuffer(ByteBuffer(bytes: bytes))), .end(nil)])
        case .pieces: write([.head(request.head)])
        case nil: write([.head(request.head), .end(nil)])
        }
    }

    func write(_ parts: [HTTPClientRequestPart], promise: EventLoopPromise<Void>? = nil) {
        guard let context, exchange != nil else {
            promise?.fail(HTTPClient.Failure.closed)
            return
        }
        for part in parts {
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { [self] result in
                switch result {
                case .success:
                    exchange?.isBegun = true
                    if case .end = part { exchange?.isSent = true }
                case .failure(let error): end(error)
                }
            }
            context.write(wrapOutboundOut(part), promise: written)
        }
        context.flush()
    }

    private func startTimer(until deadline: NIODeadline, _ context: ChannelHandlerContext) {
        exchange?.timer?.cancel()
        exchange?.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            close(HTTPClient.Failure.tooSlow)
        }
    }

    // MARK: The answer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // An answer that no request asked for.
        guard let exchange else { return context.close(promise: nil) }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.exchange?.head = head
        case .body(var bytes):
            let room = exchange.length - exchange.body.readableBytes
            let isTooLong = bytes.readableBytes > room
            if isTooLong { bytes.moveWriterIndex(to: bytes.readerIndex + room) }
            self.exchange?.body.writeBuffer(&bytes)
            if isTooLong { return answer(isWhole: false, context) }
        case .end:
            return answer(isWhole: true, context)
        }
        if let pause = exchange.pause { startTimer(until: .now() + pause, context) }
    }

    private func answer(isWhole: Bool, _ context: ChannelHandlerContext) {
        guard let exchange = exchange.take(), let head = exchange.head else { return }
        exchange.timer?.cancel()
        // Only the end of the connection tells whether such a body is whole.
        if isCut, isWhole { return exchange.outcome.fail(HTTPClient.Failure.closed) }
        // After an answer to half a request, the server would take the next one for the other half.
        let isReusable =
            isWhole && exchange.isSent && head.isKeepAlive && head.status != .switchingProtocols
            && context.channel.isActive
        if !isReusable { context.close(promise: nil) }
        let answer = HTTPClient.Answer(
            status: Int(head.status.code), fields: head.headers.map { (name: $0.name, value: $0.value) },
            body: Array(exchange.body.readableBytesView), isWhole: isWhole)
        exchange.outcome.succeed(HTTPConnection.Outcome(answer: answer, isReusable: isReusable))
    }

    // MARK: The end

    func close(_ error: any Error) {
        let ended = exchange.take()
        ended?.timer?.cancel()
        ended?.outcome.fail(error)
        context?.close(promise: nil)
    }

    /// The connection is over, or cannot be used any more.
    private func end(_ error: any Error) {
        let error = ClientTLS.failure(error)
        fault = fault ?? error
        let isSent = exchange?.isBegun ?? false
        close(exchange?.head != nil ? error : HTTPConnection.Unanswered(cause: error, isSent: isSent))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers close without TLS's closing alert; the decoder tells whether the answer is whole, unless it is
        // to end with the connection.
        if case NIOSSLError.uncleanShutdown = error {
            isCut = true
        } else {
            end(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(HTTPClient.Failure.closed)
        context.fireChannelInactive()
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Waits for the value, but no longer than until a deadline, if there is one, and not in a cancelled task.
    func get(until deadline: NIODeadline?) async throws -> Value {
        let promise = eventLoop.makePromise(of: Value.self)
        if let deadline {
            let timer = eventLoop.scheduleTask(deadline: deadline) { promise.fail(HTTPClient.Failure.tooSlow) }
            promise.futureResult.whenComplete { _ in timer.cancel() }
        }
        cascade(to: promise)
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}
