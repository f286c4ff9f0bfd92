/// Why the ingress itself answers a request.
///
/// The code is stable; the text may change. What a client sent is quoted shortened, and the query never.
package enum IngressRefusal: Error, Sendable, Equatable {
    case notFound(target: String, known: String)
    case methodNotAllowed(String)
    case unsupportedMediaType(String)
    case bodyTooLarge(limit: Int)
    case headTooLarge(bytes: Int, fields: Int)
    case targetTooLong(limit: Int)
    case malformedRequest(String)
    case missingHost
    case repeatedHost
    case invalidHost(String)
    case ambiguousLength
    case unsupportedTransferCoding(String)
    case unsupportedExpectation(String)
    case incompleteRequest
    case deadlinePassed(part: String)
    case unanswered(retryAfter: Duration)

    /// What breaks the grammar of HTTP.
    static func malformed(_ fault: IngressFault) -> IngressRefusal {
        .malformedRequest(fault.rawValue)
    }

    /// The HTTP status code.
    var status: Int {
        switch self {
        case .notFound: 404
        case .methodNotAllowed: 405
        case .deadlinePassed: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .unsupportedExpectation: 417
        case .headTooLarge: 431
        case .unanswered: 503
        case .malformedRequest, .missingHost, .repeatedHost, .invalidHost, .ambiguousLength,
            .unsupportedTransferCoding, .incompleteRequest:
            400
        }
    }

    /// The stable code, also the label of the counter.
    var code: String {
        switch self {
        case .notFound: "not-found"
        case .methodNotAllowed: "method-not-allowed"
        case .unsupportedMediaType: "unsupported-media-type"
        case .bodyTooLarge: "body-too-large"
        case .headTooLarge: "head-too-large"
        case .targetTooLong: "target-too-long"
        case .malformedRequest: "malformed-request"
        case .missingHost: "missing-host"
        case .repeatedHost: "repeated-host"
        case .invalidHost: "invalid-host"
        case .ambiguousLength: "ambiguous-length"
        case .unsupportedTransferCoding: "unsupported-transfer-coding"
        case .unsupportedExpectation: "unsupported-expectation"
        case .incompleteRequest: "incomplete-request"
        case .deadlinePassed: "deadline-passed"
        case .unanswered: "unanswered"
        }
    }

    /// Whether the request's framing is still sound, so that the connection can serve another one.
    ///
    /// Everything else ends the connection: what follows on it cannot be told from the refused request.
    var keepsConnection: Bool {
        switch self {
        case .notFound, .methodNotAllowed, .unsupportedMediaType: true
        default: false
        }
    }

    /// What was found, what was expected and what to do.
    var detail: String {
        switch self {
        case .notFound(let target, let known):
            "nothing is at \(Self.quoted(Self.withoutQuery(target))); post to one of \(known)"
        case .methodNotAllowed(let method):
            "the method was \(Self.quoted(method)); use POST"
        case .unsupportedMediaType(let type):
            "the Content-Type was \(Self.quoted(type)); send application/json"
        case .bodyTooLarge(let limit):
            "the body is larger than \(limit) bytes, or in hundreds of chunks; a postback is not, "
                + "send one in each request"
        case .headTooLarge(let bytes, let fields):
            "the head is larger than \(bytes) bytes or has more than \(fields) fields; send fewer and shorter fields"
        case .targetTooLong(let limit):
            "the request target is longer than \(limit) bytes; send data in the body"
        case .malformedRequest(let reason):
            "the bytes are not a well-formed HTTP/1.1 request (\(reason)); see RFC 9112"
        case .missingHost:
            "an HTTP/1.1 request without a Host field; send exactly one"
        case .repeatedHost:
            "more than one Host field; send exactly one"
        case .invalidHost(let host):
            "the Host field was \(Self.quoted(host)); send a host name with an optional port"
        case .ambiguousLength:
            "the length of the body is stated twice or in a way HTTP/1.0 does not know; "
                + "send one Content-Length or Transfer-Encoding: chunked"
        case .unsupportedTransferCoding(let coding):
            "the Transfer-Encoding was \(Self.quoted(coding)); send chunked alone or a Content-Length"
        case .unsupportedExpectation(let expectation):
            "the Expect field was \(Self.quoted(expectation)); only 100-continue is known"
        case .incompleteRequest:
            "the connection was closed for sending before the request was complete; send all of it"
        case .deadlinePassed(let part):
            "the \(part) was not complete in time; send the request again without pauses"
        case .unanswered:
            "the request was not decided in time; send it again later"
        }
    }

    /// The JSON text of the answer's body.
    var body: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(512)
        json.append(contentsOf: #"{"status":"refused","reason":""#.utf8)
        json.append(contentsOf: code.utf8)
        json.append(contentsOf: #"","detail":""#.utf8)
        Self.append(detail, to: &json)
        json.append(contentsOf: #""}"#.utf8)
        return json
    }

    private static func withoutQuery(_ target: String) -> String {
        String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }

    /// How much of what a client sent is quoted.
    static let quotedBytes = 64

    /// The first bytes in quotes, with everything outside printable ASCII replaced.
    private static func quoted(_ text: String) -> String {
        let printable = text.utf8.prefix(quotedBytes).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        return "\"" + String(decoding: printable, as: UTF8.self) + (text.utf8.count > quotedBytes ? "…" : "") + "\""
    }

    /// Appends text that holds no control characters to a JSON string.
    private static func append(_ text: String, to json: inout [UInt8]) {
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { json.append(UInt8(ascii: "\\")) }
            json.append(byte)
        }
    }
}
