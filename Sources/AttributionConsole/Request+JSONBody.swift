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
        // A web page can post to loopback, but not with this media type unless a preflight request allows it.
        guard headers[.contentType]?.isJSONMediaType == true else {
            throw Refusal(
                .unsupportedMediaType,
                "Content-Type: found \(headers[.contentType]?.shortened(to: 60) ?? "nothing"), expected application/json",
                hint: "send Content-Type: application/json")
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
