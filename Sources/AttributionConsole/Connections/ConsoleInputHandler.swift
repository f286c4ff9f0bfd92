import NIOCore

/// Reports a connection's bytes to its state before they are read, and drops those that are no longer wanted.
final class ConsoleInputHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ConsoleConnection

    init(_ connection: ConsoleConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.receive(unwrapInboundIn(data).readableBytes) else { return }
        context.fireChannelRead(data)
        connection.didRead()
    }
}
