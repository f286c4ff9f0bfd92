import Attribution
import AttributionAccess
import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

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

    /// An answer that names why a request is refused.
    static func refusal(
        _ status: HTTPResponse.Status,
        _ reason: String,
        _ detail: String,
        fields: HTTPFields = [:]
    ) -> Response {
        var response = json(
            status,
            .object(["status": .string("refused"), "reason": .string(reason), "detail": .string(detail)]))
        response.headers.append(contentsOf: fields)
        return response
    }

    /// The answer to a request that was turned away.
    init(_ refusal: AccessRefusal) {
        self = .refusal(HTTPResponse.Status(code: refusal.status), refusal.code, refusal.detail)
        if let challenge = refusal.challenge {
            headers[.wwwAuthenticate] = challenge
        }
        if let seconds = refusal.retryAfterSeconds {
            headers[.retryAfter] = String(seconds)
        }
    }
}
