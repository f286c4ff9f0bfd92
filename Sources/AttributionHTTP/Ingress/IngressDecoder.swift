import NIOCore
import NIOHTTP1

/// NIO's request decoder, with its strict limits, the count of bytes on the wire, and an off switch.
///
/// The decoder bounds what it keeps but not what it skips (white space, chunk extensions), and it would go on after a
/// request that ends the connection; both are decided here, for each read and not for each request.
final class IngressDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let decoder: HTTPRequestDecoder
    private let connection: IngressConnection
    /// Bytes that were there before and still are, because the field they belong to is unfinished.
    private var carriedBytes = 0

    init(connection: IngressConnection, limits: IngressLimits) {
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = limits.headBytes
        configuration.maxHeaderListSize = limits.headBytes
        configuration.maxHeaderFieldCount = limits.headFields
        self.decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: configuration)
        self.connection = connection
    }

    func decoderAdded(context: ChannelHandlerContext) {
        decoder.decoderAdded(context: context)
    }

    func decoderRemoved(context: ChannelHandlerContext) {
        decoder.decoderRemoved(context: context)
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let freshBytes = buffer.readableBytes - carriedBytes
        guard connection.takesInput else {
            discard(&buffer)
            connection.didDiscard(byteCount: freshBytes)
            return .needMoreData
        }
        connection.willDecode(byteCount: freshBytes)
        let fresh = buffer.getSlice(at: buffer.writerIndex - freshBytes, length: freshBytes)
        do {
            _ = try decoder.decode(context: context, buffer: &buffer)
        } catch {
            connection.decodingFailed(error, in: fresh)
            discard(&buffer)
            return .needMoreData
        }
        if connection.takesInput {
            carriedBytes = buffer.readableBytes
            connection.didDecode(fresh)
        }
        if !connection.takesInput { discard(&buffer) }
        return .needMoreData
    }

    func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        // Whether the end came too early is the connection's to tell; the decoder has seen all bytes already.
        discard(&buffer)
        return .needMoreData
    }

    private func discard(_ buffer: inout ByteBuffer) {
        buffer.moveReaderIndex(to: buffer.writerIndex)
        carriedBytes = 0
    }
}
