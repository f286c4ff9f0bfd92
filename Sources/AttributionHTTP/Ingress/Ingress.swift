public import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
public import ServiceLifecycle

/// The public listener: a small pipeline of NIO's HTTP decoder and our own handler, without a router and without a
/// task for each request.
public struct Ingress: Service {
    /// Takes a request and answers it once, later, from any thread.
    public typealias Handler = @Sendable (IngressRequest, @escaping @Sendable (IngressAnswer) -> Void) -> Void

    private let host: String
    private let port: Int
    private let server: IngressServer
    private let onListening: @Sendable (_ port: Int) -> Void

    /// Makes a listener.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port; 0 for a free one.
    ///   - limits: What a sender may take.
    ///   - logger: Takes a line a request at debug level; never a body or a query.
    ///   - now: The time in Unix milliseconds.
    ///   - onListening: Called with the port as soon as connections are taken.
    ///   - handler: Takes the requests.
    public init(
        host: String,
        port: Int,
        limits: IngressLimits = IngressLimits(),
        logger: Logger,
        now: @escaping @Sendable () -> Int64,
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in },
        handler: @escaping Handler
    ) {
        self.host = host
        self.port = port
        self.onListening = onListening
        server = IngressServer(limits: limits, logger: logger, handler: handler, now: now)
    }

    /// Listens until a graceful shutdown: then takes nothing more, answers what was accepted, and closes.
    public func run() async throws {
        let connections = IngressConnections(limits: server.limits)
        let listener = try await bootstrap(connections).bind(host: host, port: port).get()
        onListening(listener.localAddress?.port ?? port)
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await listener.closeFuture.get()
        } onCancelOrGracefulShutdown: {
            listener.close(promise: nil)
        }
        await stop(connections)
    }

    /// Waits for accepted requests to be answered, within the bound, and cuts off the rest.
    private func stop(_ connections: IngressConnections) async {
        let channels = connections.stop()
        await withTaskGroup { group in
            group.addTask {
                for channel in channels {
                    try? await channel.closeFuture.get()
                }
            }
            group.addTask { [limits = server.limits] in
                try? await Task.sleep(for: limits.stopTime)
                for channel in channels {
                    channel.close(promise: nil)
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func bootstrap(_ connections: IngressConnections) -> ServerBootstrap {
        let server = server
        return ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            // Half a connection may close while its answer is still awaited.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // The handler asks for bytes when it can take them.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                guard connections.admit(channel) else {
                    server.logger.warning("connection refused: too many")
                    return channel.close()
                }
                let address = channel.remoteAddress?.ipAddress ?? ""
                channel.closeFuture.whenComplete { _ in
                    connections.remove(channel, address: address)
                }
                return channel.eventLoop.makeCompletedFuture {
                    try Self.configure(channel, server)
                }
            }
    }

    private static func configure(_ channel: any Channel, _ server: IngressServer) throws {
        let gate = IngressConnectionGate(headLimit: server.limits.headBytes)
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldCount = server.limits.headFields
        decoderLimits.maxHeaderListSize = server.limits.headBytes
        decoderLimits.maxHeaderFieldSize = server.limits.headBytes
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .dropBytes, limitConfiguration: decoderLimits)
        try channel.pipeline.syncOperations.addHandlers([
            gate, ByteToMessageHandler(decoder), IngressConnectionHandler(server: server, gate: gate),
        ])
    }
}
