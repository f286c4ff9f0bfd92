import AttributionListener
import CodedErrors
import Hummingbird
import NIOCore
import NIOHTTP1
import StrictJSON

extension Request {
    /// The body of a request that must be JSON.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``CodedErrors/Refusal`` for another media type, and for a body that is too long, malformed or cut short.
    func jsonBody(upTo limit: Int) async throws(Refusal) -> ByteBuffer {
        try await body(of: .json, upTo: limit)
    }

    /// The body of a request that must have a media type.
    ///
    /// - Parameters:
    ///   - mediaType: The media type.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``CodedErrors/Refusal`` for another media type, and for a body that is too long, malformed or cut short.
    func body(of mediaType: BodyMediaType, upTo limit: Int) async throws(Refusal) -> ByteBuffer {
        // A web page can post to loopback, but not with these media types unless a preflight request allows it.
        guard let found = headers[.contentType], mediaType.matches(found) else {
            throw Refusal(
                .unsupportedMediaType,
                "Content-Type: found \(headers[.contentType]?.shortened(to: 60) ?? "nothing"), "
                    + "expected \(mediaType.rawValue)",
                hint: "send Content-Type: \(mediaType.rawValue)")
        }
        do {
            return try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Refusal(.bodyTooLarge, "the body is larger than \(limit) bytes")
        } catch HTTPParserError.invalidEOFState {
            throw Refusal(.incompleteRequest, "the client closed the connection before the request was complete")
        } catch {
            throw Refusal(ConsoleFault.malformed)
        }
    }
}

/// The media type of a request's body.
enum BodyMediaType: String {
    case json = "application/json"
    /// One JSON object per line.
    case ndjson = "application/x-ndjson"

    /// Whether a `Content-Type` field names it, with or without parameters.
    fileprivate func matches(_ field: String) -> Bool {
        switch self {
        case .json: field.isJSONMediaType
        case .ndjson:
            field.prefix { $0 != ";" && $0 != " " }.lowercased() == rawValue
        }
    }
}
