import Attribution
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer with a text, not to be kept by caches.
    static func text(_ status: HTTPResponse.Status, _ mediaType: String, _ body: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: body))
        )
    }

    /// An answer with a JSON object on one line.
    static func json(_ status: HTTPResponse.Status, _ body: JSONText) -> Response {
        text(status, "application/json", body.line + "\n")
    }

    /// The answer to a request that was turned away.
    init(_ refusal: AccessRefusal) {
        self = .json(
            HTTPResponse.Status(code: refusal.status),
            .object([
                "status": .string("refused"), "reason": .string(refusal.code), "detail": .string(refusal.detail),
            ]))
        if let challenge = refusal.challenge {
            headers[.wwwAuthenticate] = challenge
        }
        if let seconds = refusal.retryAfterSeconds {
            headers[.retryAfter] = String(seconds)
        }
    }
}
