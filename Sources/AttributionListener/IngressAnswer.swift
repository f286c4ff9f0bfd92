package import Attribution
import NIOCore

/// The answer to a request.
package struct IngressAnswer: Sendable {
    /// The HTTP status code, 200…599.
    package let status: Int
    /// The text of the body.
    package let body: [UInt8]
    /// The media type of the body; nil for an answer without one.
    package let mediaType: String?
    /// After how long the client may come back; sent as `Retry-After` in whole seconds, rounded up, at least 1.
    package var retryAfter: Duration?
    /// More header fields.
    package private(set) var fields: [(name: String, value: String)] = []
    /// The holder of the token it was asked for with: a label of the counter of requests.
    package var caller: String?
    /// The error that it refuses a request for; nil for any other answer.
    package private(set) var refusal: (any CodedError)?

    package init(status: Int, body: [UInt8], mediaType: String? = "application/json", retryAfter: Duration? = nil) {
        self.status = (200...599).contains(status) ? status : 500
        self.body = body
        self.mediaType = mediaType
        self.retryAfter = retryAfter
    }

    /// Makes the answer that refuses a request.
    package init(refusing error: some CodedError) {
        self.init(status: error.code.httpStatus, body: error.body, retryAfter: error.retryAfter)
        refusal = error
    }

    /// Sets a header field.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name == name }
        let isText = value.utf8.allSatisfy(IngressByte.isFieldText)
        fields.append(
            (name, isText ? value : String(value.unicodeScalars.map { Self.isControl($0) ? "?" : Character($0) })))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7f
    }
}

/// Encodes answers, one buffer each, in memory that is reused once the socket has taken it.
struct IngressAnswerEncoder {
    /// The longest body that is copied behind its head; a longer one would keep the memory of each connection large.
    private static let longestCopy = 16 << 10

    private var buffer = ByteBufferAllocator().buffer(capacity: 512)

    /// Encodes the interim answer a client with `Expect: 100-continue` waits for.
    mutating func encodeContinue() -> ByteBuffer {
        buffer.clear()
        buffer.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
        return buffer
    }

    /// Encodes one answer.
    mutating func encode(
        _ answer: IngressAnswer, isLast: Bool, announcesKeepAlive: Bool = false, omitsBody: Bool = false
    ) -> (bytes: ByteBuffer, body: ByteBuffer?) {
        buffer.clear()
        buffer.writeStaticString("HTTP/1.1 ")
        buffer.writeString(String(answer.status))
        buffer.writeStaticString(Self.reason(answer.status))
        for field in answer.fields {
            buffer.writeString(field.name)
            buffer.writeStaticString(": ")
            buffer.writeString(field.value)
            buffer.writeStaticString("\r\n")
        }
        if let mediaType = answer.mediaType {
            buffer.writeStaticString("Content-Type: ")
            buffer.writeString(mediaType)
            buffer.writeStaticString("\r\nContent-Length: ")
        } else {
            buffer.writeStaticString("Content-Length: ")
        }
        buffer.writeString(String(answer.body.count))
        if let retryAfter = answer.retryAfter {
            buffer.writeStaticString("\r\nRetry-After: ")
            let (seconds, attoseconds) = retryAfter.components
            buffer.writeString(String(max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0))))
        }
        if isLast {
            buffer.writeStaticString("\r\nConnection: close\r\n\r\n")
        } else if announcesKeepAlive {
            buffer.writeStaticString("\r\nConnection: keep-alive\r\n\r\n")
        } else {
            buffer.writeStaticString("\r\n\r\n")
        }
        guard !omitsBody else { return (buffer, nil) }
        guard answer.body.count <= Self.longestCopy else { return (buffer, ByteBuffer(bytes: answer.body)) }
        buffer.writeBytes(answer.body)
        return (buffer, nil)
    }

    /// The rest of the status line; the phrase may be empty.
    private static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: " OK\r\n"
        case 202: " Accepted\r\n"
        case 207: " Multi-Status\r\n"
        case 303: " See Other\r\n"
        case 400: " Bad Request\r\n"
        case 401: " Unauthorized\r\n"
        case 403: " Forbidden\r\n"
        case 404: " Not Found\r\n"
        case 405: " Method Not Allowed\r\n"
        case 408: " Request Timeout\r\n"
        case 409: " Conflict\r\n"
        case 410: " Gone\r\n"
        case 411: " Length Required\r\n"
        case 413: " Content Too Large\r\n"
        case 414: " URI Too Long\r\n"
        case 415: " Unsupported Media Type\r\n"
        case 417: " Expectation Failed\r\n"
        case 422: " Unprocessable Content\r\n"
        case 429: " Too Many Requests\r\n"
        case 431: " Request Header Fields Too Large\r\n"
        case 499: " Client Closed Request\r\n"
        case 500: " Internal Server Error\r\n"
        case 503: " Service Unavailable\r\n"
        default: " \r\n"
        }
    }
}
