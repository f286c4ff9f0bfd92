import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

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
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: configuration)
        // TLS sends names of servers, not addresses; the certificate is compared with either.
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        let group = MultiThreadedEventLoopGroup.singleton
        let finished = group.next().makePromise(of: Void.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
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
        try await finished.futureResult.get()
        let version = try await channel.nioSSL_tlsVersion().get()
        let end = try await channel.nioSSL_peerCertificate().map { $0.map { Int($0.notValidAfter) } }.get()
        return Finding(version: Self.words(version), end: end)
    }

    private static func words(_ version: TLSVersion?) -> String {
        switch version {
        case .tlsv13: "TLS 1.3"
        case .tlsv12: "TLS 1.2"
        case .tlsv11, .tlsv1, nil: "TLS"
        }
    }
}

/// Tells when the handshake is done, or why it is not.
private final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let finished: EventLoopPromise<Void>

    init(_ finished: EventLoopPromise<Void>) {
        self.finished = finished
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            finished.succeed()
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
