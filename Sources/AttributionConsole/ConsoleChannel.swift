import AttributionListener
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import TLS

/// Sets up connections of the console, each with the TLS identity current when it is accepted.
struct ConsoleChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let tls: IngressTLS?
    private let connections: NIOLoopBound<ConsoleConnections>

    /// Makes the set-up of all connections.
    ///
    /// - Parameters:
    ///   - connections: Decides which connections may stay, and for how long.
    ///   - limits: The bounds of a head.
    ///   - tls: The TLS identity; nil for plain HTTP.
    ///   - responder: Answers the requests.
    init(
        _ connections: NIOLoopBound<ConsoleConnections>,
        limits: ConsoleLimits,
        tls: IngressTLS?,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.connections = connections
        self.tls = tls
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headBytes, maxHeaderListSize: limits.headBytes,
                    maxHeaderFieldCount: limits.headFields)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            let operations = channel.pipeline.syncOperations
            if let tls {
                try operations.addHandler(TLSHandler(server: tls.currentContext()))
            }
            let connection = connections.value.admit(channel)
            if let connection {
                try operations.addHandler(ConsoleInputHandler(connection))
            }
            return NIOLoopBound(connection, eventLoop: channel.eventLoop)
        }.flatMap { connection in
            http.setup(channel: channel, logger: logger).flatMapThrowing { value in
                guard let connection = connection.value else {
                    // An error here would end the whole listener.
                    channel.close(promise: nil)
                    return value
                }
                let operations = channel.pipeline.syncOperations
                let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try operations.addHandler(ConsoleRequestHandler(connection), position: .after(decoder))
                return value
            }
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
