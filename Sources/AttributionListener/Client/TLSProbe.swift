import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// TLS of clients: version 1.2 or later, and a chain that the system trusts.
enum ClientTLS {
    /// Loading what the system trusts takes a while.
    private static let context = Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // As OpenSSL and most command-line tools do.
        if let file = getenv("SSL_CERT_FILE") { configuration.trustRoots = .file(String(cString: file)) }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Makes the handler of a connection.
    static func handler(for host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context.get(), serverHostname: serverName(host))
    }

    /// What TLS sends of a host: names, not addresses; the certificate is compared with either.
    static func serverName(_ host: String) -> String? {
        (try? SocketAddress(ipAddress: host, port: 443)) == nil ? host : nil
    }

    /// What an error of the library means to a client; other errors as they are.
    static func failure(_ error: any Error) -> any Error {
        switch error {
        case NIOSSLError.handshakeFailed: HTTPClient.Failure.handshakeFailed
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: HTTPClient.Failure.wrongName
        default: error
        }
    }
}

/// Shakes hands with a server as a device does.
package enum TLSProbe {
    /// What was found.
    package struct Finding: Sendable {
        /// The version, for example `TLS 1.3`.
        package let version: String
        /// Whether it is TLS 1.2 or later.
        let isModern: Bool
        /// When the certificate ends, in Unix seconds; nil when there is none.
        package let end: Int?
    }

    /// What a server offers, whether or not a device would accept it.
    package struct Inspection: Sendable {
        /// Whether it speaks TLS 1.2 or later.
        package let isModern: Bool
        /// The certificates that it sent, in DER.
        package let certificates: [[UInt8]]
    }

    /// Completes a handshake with a server that a device would refuse, to find out why.
    package static func inspect(host: String, port: Int) async throws -> Inspection {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv1
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let sent = Mutex<[[UInt8]]>([])
        let finding = try await run(host: host, port: port) {
            // Everything is accepted: nothing is sent but the handshake.
            try NIOSSLClientHandler(context: context, serverHostname: ClientTLS.serverName(host)) {
                certificates, promise in
                sent.withLock { $0 = certificates.compactMap { try? $0.toDERBytes() } }
                promise.succeed(.certificateVerified)
            }
        }
        return Inspection(isModern: finding.isModern, certificates: sent.withLock { $0 })
    }

    /// Connects, shakes hands and closes.
    package static func run(host: String, port: Int) async throws -> Finding {
        try await run(host: host, port: port) { try ClientTLS.handler(for: host) }
    }

    private static func run(
        host: String, port: Int, makeHandler: @escaping @Sendable () throws -> NIOSSLClientHandler
    ) async throws -> Finding {
        let group = MultiThreadedEventLoopGroup.singleton
        let finished = group.next().makePromise(of: Finding.self)
        let connection = ClientBootstrap(group: group)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(makeHandler())
                    try channel.pipeline.syncOperations.addHandler(HandshakeWatch(finished))
                }
            }
            .connect(host: host, port: port)
        connection.whenFailure { finished.fail($0) }
        let limit = group.next().scheduleTask(in: .seconds(15)) {
            finished.fail(ChannelError.connectTimeout(.seconds(15)))
        }
        defer {
            limit.cancel()
            connection.whenSuccess { $0.close(promise: nil) }
        }
        return try await finished.futureResult.get()
    }
}

/// Reports the outcome of a handshake.
private final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let finished: EventLoopPromise<TLSProbe.Finding>

    init(_ finished: EventLoopPromise<TLSProbe.Finding>) {
        self.finished = finished
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            let operations = context.channel.pipeline.syncOperations
            let version = (try? operations.nioSSL_tlsVersion()) ?? nil
            let certificate = (try? operations.nioSSL_peerCertificate()) ?? nil
            finished.succeed(
                TLSProbe.Finding(
                    version: version == .tlsv13 ? "TLS 1.3" : "TLS 1.2",
                    isModern: version == .tlsv12 || version == .tlsv13,
                    end: certificate.map { Int($0.notValidAfter) }))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finished.fail(ClientTLS.failure(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finished.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
