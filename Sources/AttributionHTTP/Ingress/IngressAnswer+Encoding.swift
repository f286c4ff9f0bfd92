import Attribution
import NIOCore
import NIOHTTP1

extension IngressAnswer {
    /// The whole response in one buffer: shorter than a passage through an encoder, and written in one piece.
    func encoded(closes: Bool, allocator: ByteBufferAllocator) -> ByteBuffer {
        let text = body.line + "\n"
        var buffer = allocator.buffer(capacity: text.utf8.count + 192)
        buffer.writeString("HTTP/1.1 \(status) \(HTTPResponseStatus(statusCode: status).reasonPhrase)\r\n")
        buffer.writeStaticString("Content-Type: application/json\r\n")
        if status == 405 {
            buffer.writeStaticString("Allow: POST\r\n")
        }
        if let retryAfterSeconds {
            buffer.writeString("Retry-After: \(retryAfterSeconds)\r\n")
        }
        buffer.writeString(closes ? "Connection: close\r\n" : "Connection: keep-alive\r\n")
        buffer.writeString("Content-Length: \(text.utf8.count)\r\n\r\n")
        buffer.writeString(text)
        return buffer
    }
}
