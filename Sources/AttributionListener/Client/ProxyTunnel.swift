import NIOCore
import NIOPosix

/// A connection to a server through a proxy.
enum ProxyTunnel {
    /// How long a proxy may take to connect.
    static let limit = TimeAmount.seconds(10)

    /// Connects to a proxy and has it connect to a server.
    ///
    /// - Returns: The channel, which carries whatever is sent to the server from now on.
    /// - Throws: ``HTTPClient/Failure/proxyRefused(status:)``, and what the connection reports.
    static func open(
        to host: String, port: Int, through proxy: String, port proxyPort: Int
    ) async throws -> any Channel {
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(.seconds(5))
        let (channel, opened) = try await bootstrap.connect(host: proxy, port: proxyPort) { channel in
            channel.eventLoop.makeCompletedFuture {
                let opened = channel.eventLoop.makePromise(of: Void.self)
                try channel.pipeline.syncOperations.addHandler(ProxyTunnelHandler(to: authority, opened))
                return (channel, opened.futureResult)
            }
        }
        do {
            try await opened.get()
            return channel
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }
}

/// Asks a proxy to connect, reads its answer, and stays out of the way from then on.
private final class ProxyTunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let longestAnswer = 16 << 10

    private let authority: String
    private let opened: EventLoopPromise<Void>
    /// What has come of the proxy's answer; nil once the tunnel is open.
    private var answer: ByteBuffer? = ByteBuffer()
    private var timer: Scheduled<Void>?

    init(to authority: String, _ opened: EventLoopPromise<Void>) {
        self.authority = authority
        self.opened = opened
    }

    func channelActive(context: ChannelHandlerContext) {
        let request = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: ProxyTunnel.limit) { [opened] in
            opened.fail(HTTPClient.Failure.tooSlow)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard var answer else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        answer.writeBuffer(&bytes)
        self.answer = answer
        let view = answer.readableBytesView
        guard let end = view.firstRange(of: Array("\r\n\r\n".utf8)) else {
            if view.count > Self.longestAnswer { opened.fail(HTTPClient.Failure.proxyRefused(status: 0)) }
            return
        }
        timer?.cancel()
        let line = String(decoding: view.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        let words = line.split(separator: " ")
        let status = words.count > 1 && words[0].hasPrefix("HTTP/1.") ? Int(words[1]) ?? 0 : 0
        // A server that is reached through a tunnel speaks second.
        guard (200...299).contains(status), end.upperBound == view.endIndex else {
            return opened.fail(HTTPClient.Failure.proxyRefused(status: (200...299).contains(status) ? 0 : status))
        }
        self.answer = nil
        opened.succeed()
    }

    func channelInactive(context: ChannelHandlerContext) {
        opened.fail(HTTPClient.Failure.closed)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        // Of several addresses of a proxy, those that do not answer first are left.
        opened.fail(HTTPClient.Failure.closed)
    }
}
