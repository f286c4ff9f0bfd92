import Attribution
import AttributionAccess
import CodedErrors
import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

extension Response {
    /// An answer with a text, not to be cached.
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

    /// An answer that says why a request is refused.
    ///
    /// - Parameters:
    ///   - error: What is wrong; its code decides the status.
    ///   - fields: More fields of its head.
    ///   - body: The object, where it has more members than a refusal.
    /// - Returns: The answer, with Retry-After where the request may be repeated.
    static func refusing(
        _ error: some CodedError,
        fields: HTTPFields = [:],
        body: JSONText? = nil
    ) -> Response {
        var response = json(HTTPResponse.Status(code: error.code.httpStatus), body ?? error.json())
        response.headers.append(contentsOf: fields)
        if let seconds = error.retryAfterSeconds {
            response.headers[.retryAfter] = String(seconds)
        }
        return response
    }

    /// The answer to a request that access control refused.
    init(_ refusal: AccessRefusal) {
        self = .refusing(refusal, fields: refusal.challenge.map { [.wwwAuthenticate: $0] } ?? [:])
    }
}
