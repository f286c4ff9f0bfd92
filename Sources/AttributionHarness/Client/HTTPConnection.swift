import NIOCore
import NIOHTTP1
import NIOPosix
import TLS

/// A connection to a server, over which requests are sent one after the other.
struct HTTPConnection: Sendable {
    /// What came of a request.
    struct Outcome: Sendable {
        let answer: HTTPClient.Answer
        /// Whether the connection can take the next request.
        let isReusable: Bool
    }

    /// The connection ended before the first byte of the answer.
    struct Unanswered: Error {
        let cause: any Error
        /// Whether some of the request was sent, so that the server may have acted on it.
        let isSent: Bool
    }

    /// The system's trust, which takes a while to load.
    private static let tls = Result { try TLSContext.client() }

    private let channel: any Channel
    private let handler: NIOLoopBound<HTTPExchangeHandler>

    /// Connects; the handshake of TLS, if any, is part of the first exchange.
    static func connect(to origin: HTTPClient.Origin) async throws -> HTTPConnection {
        let tls = origin.isSecure ? try tls.get() : nil
        let address = try? SocketAddress(ipAddress: origin.host, port: origin.port)
        let initialize: @Sendable (any Channel) -> EventLoopFuture<HTTPConnection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let tls {
                    try pipeline.addHandler(TLSHandler(client: tls, serverName: origin.host))
                }
                let watch = ReadWatch()
                let handler = HTTPExchangeHandler(watch)
                try pipeline.addHandler(watch)
                try pipeline.addHTTPClientHandlers()
                try pipeline.addHandler(handler)
                return HTTPConnection(channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
            }
        }
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(.seconds(5))
        if let address {
            return try await bootstrap.connect(to: address, channelInitializer: initialize)
        }
        return try await bootstrap.connect(host: origin.host, port: origin.port, channelInitializer: initialize)
    }

    var isActive: Bool { channel.isActive }

    /// Sends a request, but of a slow body nothing yet.
    func begin(
        _ request: HTTPClient.Request, keeping length: Int, within limit: HTTPClient.TimeLimit
    ) -> EventLoopFuture<Outcome> {
        let outcome = channel.eventLoop.makePromise(of: Outcome.self)
        channel.eventLoop.execute { handler.value.begin(request, keeping: length, within: limit, outcome) }
        return outcome.futureResult
    }

    /// Sends a slow body after its head; a body that throws ends the exchange.
    func sendPieces(of body: HTTPClient.Request.Body?, until deadline: NIODeadline) async {
        guard case .slow(let pieces) = body else {
            return
        }
        do {
            for try await piece in pieces {
                try await write(.body(.byteBuffer(piece)), until: deadline)
            }
            try await write(.end(nil), until: deadline)
        } catch {
            close(error)
        }
    }

    private func write(_ part: HTTPClientRequestPart, until deadline: NIODeadline) async throws {
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute {
            handler.value.write(part, promise: written)
            handler.value.flush()
        }
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

    private struct Exchange {
        let outcome: EventLoopPromise<HTTPConnection.Outcome>
        let length: Int
        let limit: HTTPClient.TimeLimit
        var timer: Scheduled<Void>?
        var isBegun = false
        var isSent = false
        var head: HTTPResponseHead?
        var body = ByteBuffer()
    }

    private let watch: ReadWatch
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    /// What ended the connection, perhaps before a request: a handshake may fail as soon as it begins.
    private var fault: (any Error)?
    /// Whether the connection ended without the end that TLS wants.
    private var isCut = false

    init(_ watch: ReadWatch) {
        self.watch = watch
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    // MARK: The request

    func begin(
        _ request: HTTPClient.Request, keeping length: Int, within limit: HTTPClient.TimeLimit,
        _ outcome: EventLoopPromise<HTTPConnection.Outcome>
    ) {
        exchange = Exchange(outcome: outcome, length: length, limit: limit)
        // Bytes that no request asked for answer none.
        guard let context, context.channel.isActive, !watch.hasRead else {
            return close(HTTPConnection.Unanswered(cause: fault ?? HTTPClient.Failure.closed, isSent: false))
        }
        startTimer(until: limit.deadline, context)
        write(.head(request.head))
        switch request.body {
        case .whole(let bytes):
            write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            write(.end(nil))
        case .slow: break
        case nil: write(.end(nil))
        }
        flush()
    }

    func write(_ part: HTTPClientRequestPart, promise: EventLoopPromise<Void>? = nil) {
        guard let context, exchange != nil else {
            promise?.fail(HTTPClient.Failure.closed)
            return
        }
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

    func flush() {
        context?.flush()
    }

    private func startTimer(until deadline: NIODeadline, _ context: ChannelHandlerContext) {
        exchange?.timer?.cancel()
        exchange?.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            close(HTTPClient.Failure.tooSlow)
        }
    }

    /// After a part of the answer.
    private func restartTimer(_ context: ChannelHandlerContext) {
        if let pause = exchange?.limit.pause {
            startTimer(until: .now() + pause, context)
        }
    }

    private func takeExchange() -> Exchange? {
        defer { exchange = nil }
        exchange?.timer?.cancel()
        return exchange
    }

    // MARK: The answer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            exchange?.head = head
            restartTimer(context)
        case .body(var bytes):
            guard let room = exchange.map({ $0.length - $0.body.readableBytes }) else {
                return
            }
            let isTooLong = bytes.readableBytes > room
            if isTooLong {
                bytes.moveWriterIndex(to: bytes.readerIndex + room)
            }
            exchange?.body.writeBuffer(&bytes)
            if isTooLong {
                answer(isWhole: false, context)
            } else {
                restartTimer(context)
            }
        case .end:
            answer(isWhole: true, context)
        }
    }

    private func answer(isWhole: Bool, _ context: ChannelHandlerContext) {
        guard let head = exchange?.head, let exchange = takeExchange() else {
            return
        }
        watch.hasRead = false
        // Only its end tells whether such a body is whole.
        if isCut, isWhole {
            exchange.outcome.fail(HTTPClient.Failure.closed)
            return
        }
        // After an answer to half a request, the server would take the next one for the other half.
        let isReusable =
            isWhole && exchange.isSent && head.isKeepAlive && head.status != .switchingProtocols
            && context.channel.isActive
        if !isReusable {
            context.close(promise: nil)
        }
        let answer = HTTPClient.Answer(
            status: Int(head.status.code), fields: head.headers.map { (name: $0.name, value: $0.value) },
            body: Array(exchange.body.readableBytesView), isWhole: isWhole)
        exchange.outcome.succeed(HTTPConnection.Outcome(answer: answer, isReusable: isReusable))
    }

    // MARK: The end

    func close(_ error: any Error) {
        takeExchange()?.outcome.fail(error)
        context?.close(promise: nil)
    }

    /// The connection is over, or cannot be used any more.
    private func end(_ error: any Error) {
        fault = fault ?? error
        let isSent = exchange?.isBegun ?? false
        close(watch.hasRead ? error : HTTPConnection.Unanswered(cause: error, isSent: isSent))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers close without the end that TLS wants; the decoder tells whether the answer is whole, unless it
        // is to end with the connection.
        if error as? TLSError == .uncleanShutdown {
            isCut = true
            return
        }
        end(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(HTTPClient.Failure.closed)
        context.fireChannelInactive()
    }
}

/// Notes whether something was read that belongs to no finished answer.
///
/// The decoder does not report a head before it is whole.
private final class ReadWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Reset at the end of an answer.
    var hasRead = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        // Where an answer ends before the last byte, more follows it, which the decoder may keep.
        if bytes.readableBytes > 1, let first = bytes.readSlice(length: bytes.readableBytes - 1) {
            hasRead = true
            context.fireChannelRead(wrapInboundOut(first))
            guard context.channel.isActive else {
                return
            }
        }
        hasRead = true
        context.fireChannelRead(wrapInboundOut(bytes))
    }
}
