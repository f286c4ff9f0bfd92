import NIOCore

/// Stands before the HTTP decoder: counts the bytes of a head that is not complete yet, and swallows what a refused
/// sender is still sending.
final class IngressConnectionGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What the bytes that arrive belong to.
    enum Stage {
        /// A head, of which so many bytes have arrived.
        case head(Int)
        /// A body, or requests that wait for their turn.
        case other
        /// A refused request, of which so many bytes were thrown away.
        case refused(Int)
    }

    var stage: Stage = .head(0)
    private let headLimit: Int
    /// Called when a head grows over its limit.
    var onHeadTooLong: (() -> Void)?
    /// Called with each arrival, before it is decoded.
    var onBytes: (() -> Void)?

    init(headLimit: Int) {
        self.headLimit = headLimit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        switch stage {
        case .refused(let thrownAway):
            stage = .refused(thrownAway + count)
            // An answer was sent; whoever goes on sending megabytes is cut off.
            if thrownAway + count > 1 << 20 {
                context.close(promise: nil)
            }
        case .head(let received):
            stage = .head(received + count)
            onBytes?()
            context.fireChannelRead(data)
            // Looked at after decoding: a short head may come with its body in one piece.
            if case .head(let received) = stage, received > headLimit {
                onHeadTooLong?()
            }
        case .other:
            context.fireChannelRead(data)
        }
    }
}
