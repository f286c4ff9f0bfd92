import NIOCore

/// Reads the header with which a trusted proxy names the client of a connection, and refuses one from anybody else.
///
/// It comes before TLS, and leaves the pipeline with the first bytes that are not the header. The deadline is that of
/// ``ConnectionHandler``, for which the connection has not begun yet.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ConnectionHandler
    /// Whether the connection has to begin with a header; otherwise it must not.
    private let isDemanded: Bool
    private var unread = ByteBuffer()
    private var isDone = false

    /// Makes the handler of a new connection.
    init(of connection: ConnectionHandler, isDemanded: Bool) {
        self.connection = connection
        self.isDemanded = isDemanded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else {
            context.fireChannelRead(data)
            return
        }
        var bytes = unwrapInboundIn(data)
        if unread.readableBytes == 0 { swap(&unread, &bytes) } else { unread.writeImmutableBuffer(bytes) }
        guard isDemanded else {
            if unread.withUnsafeReadableBytes(ProxyHeader.begins) {
                end(
                    context, "a connection began with a PROXY header, which is taken from trusted proxies only",
                    hint: "give skan serve --proxy-protocol and --trusted-proxy if, and only if, the proxy sends it")
            } else {
                passOn(context)
            }
            return
        }
        switch unread.withUnsafeReadableBytes(ProxyHeader.read) {
        case .unfinished:
            break
        case .malformed:
            if unread.withUnsafeReadableBytes(ProxyHeader.begins) {
                end(
                    context, "a trusted proxy began a connection with a PROXY header that cannot be read",
                    hint: "it needs version 1 or 2, TCP, and \(ProxyHeader.longest) bytes at most: leave out further "
                        + "values such as the client's certificate")
            } else {
                end(
                    context, "a trusted proxy began a connection without a PROXY header",
                    hint: "let the proxy send it (HAProxy: send-proxy), or leave out --proxy-protocol")
            }
        case .header(let header):
            unread.moveReaderIndex(forwardBy: header.length)
            guard connection.identify(header.source) else {
                isDone = true
                context.close(promise: nil)
                return
            }
            passOn(context)
        }
    }

    /// Leaves the pipeline, with what belongs to the next handler.
    private func passOn(_ context: ChannelHandlerContext) {
        isDone = true
        if unread.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(unread)) }
        unread = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func end(_ context: ChannelHandlerContext, _ reason: String, hint: String) {
        isDone = true
        unread = ByteBuffer()
        connection.refuseProxyHeader(reason, hint: hint)
        context.close(promise: nil)
    }
}
