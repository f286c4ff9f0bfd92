import NIOCore
import NIOPosix
import TLS

/// Shakes hands with a server as a device does: TLS 1.2 or later, and a chain that the system trusts.
package struct TLSProbe: Sendable {
    /// What was found.
    package struct Finding: Sendable {
        /// The version, for example `TLS 1.3`.
        package let version: String
        /// When the certificate ends, in Unix seconds; nil when it cannot be read.
        package let end: Int?
    }

    /// Makes a probe.
    package init() {}

    /// Connects, shakes hands and closes.
    ///
    /// - Parameters:
    ///   - host: The name to connect to, which the certificate must carry.
    ///   - port: The port.
    /// - Returns: What was found.
    /// - Throws: What the connection or the handshake reports.
    package func run(host: String, port: Int) async throws -> Finding {
        let context = try TLSContext.client()
        let group = MultiThreadedEventLoopGroup.singleton
        let finished = group.next().makePromise(of: TLSHandshake.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try TLSHandler(client: context, serverName: host)
                        try channel.pipeline.syncOperations.addHandlers([tls, HandshakeWatch(finished)])
                    }
                }
                .connect(host: host, port: port).get()
        } catch {
            finished.fail(error)
            throw error
        }
        let limit = channel.eventLoop.scheduleTask(in: .seconds(10)) {
            finished.fail(ChannelError.connectTimeout(.seconds(10)))
        }
        defer {
            limit.cancel()
            channel.close(promise: nil)
        }
        let handshake = try await finished.futureResult.get()
        return Finding(
            version: handshake.version.replacing("TLSv", with: "TLS "), end: handshake.peerCertificate?.notValidAfter)
    }
}

/// Tells when the handshake is done, or why it is not.
private final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let finished: EventLoopPromise<TLSHandshake>

    init(_ finished: EventLoopPromise<TLSHandshake>) {
        self.finished = finished
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let handshake = event as? TLSHandshake {
            finished.succeed(handshake)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finished.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finished.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
