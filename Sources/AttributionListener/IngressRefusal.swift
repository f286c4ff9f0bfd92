package import Attribution

/// Why the ingress refuses a request.
///
/// The code is stable; the text may change. Quotes from the request are shortened and never include the query.
package enum IngressRefusal: CodedError, Equatable {
    case notFound(target: String, hint: String)
    case methodNotAllowed(String, allowed: String)
    case unsupportedMediaType(String, expected: IngressMediaType)
    case unsupportedContentCoding(String)
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
    case tooManyConnections(probes: String)
    case unanswered(retryAfter: Duration)

    /// A request that breaks the grammar of HTTP.
    static func malformed(_ fault: IngressFault) -> IngressRefusal {
        .malformedRequest(fault.rawValue)
    }

    /// The stable code, also the label of the counter.
    package var code: ErrorCode {
        switch self {
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType, .unsupportedContentCoding: .unsupportedMediaType
        case .bodyTooLarge: .bodyTooLarge
        case .headTooLarge: .headTooLarge
        case .targetTooLong: .targetTooLong
        case .malformedRequest: .malformedRequest
        case .missingHost: .missingHost
        case .repeatedHost: .repeatedHost
        case .invalidHost: .invalidHost
        case .ambiguousLength: .ambiguousLength
        case .unsupportedTransferCoding: .unsupportedTransferCoding
        case .unsupportedExpectation: .unsupportedExpectation
        case .incompleteRequest: .incompleteRequest
        case .deadlinePassed: .deadlinePassed
        case .tooManyConnections: .tooManyConnections
        case .unanswered: .unanswered
        }
    }

    /// After how long the request may be sent again.
    package var retryAfter: Duration? {
        if case .unanswered(let duration) = self { duration } else { code.retryAfter }
    }

    /// Whether the request's framing is still sound, so that the connection can serve another one.
    ///
    /// Every other refusal ends the connection: what follows cannot be told from the refused request.
    var keepsConnection: Bool {
        switch self {
        case .notFound, .methodNotAllowed, .unsupportedMediaType, .unsupportedContentCoding: true
        default: false
        }
    }

    /// What was found, and what was expected.
    package var message: String {
        switch self {
        case .notFound(let target, _): "there is no route \(Self.quoted(Self.withoutQuery(target)))"
        case .methodNotAllowed(let method, _): "the method was \(Self.quoted(method))"
        case .unsupportedMediaType(let type, _): "the Content-Type was \(Self.quoted(type))"
        case .unsupportedContentCoding(let coding): "the Content-Encoding was \(Self.quoted(coding))"
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes, or split into hundreds of chunks"
        case .headTooLarge(let bytes, let fields):
            "the head is larger than \(bytes) bytes or has more than \(fields) fields"
        case .targetTooLong(let limit): "the request target is longer than \(limit) bytes"
        case .malformedRequest(let reason): "the bytes are not a well-formed HTTP/1.1 request (\(reason)); see RFC 9112"
        case .missingHost: "the HTTP/1.1 request has no Host field"
        case .repeatedHost: "the request has more than one Host field"
        case .invalidHost(let host): "the Host field was \(Self.quoted(host))"
        case .ambiguousLength: "the length of the body is given twice, or in a way HTTP/1.0 does not support"
        case .unsupportedTransferCoding(let coding): "the Transfer-Encoding was \(Self.quoted(coding))"
        case .unsupportedExpectation(let expectation): "the Expect field was \(Self.quoted(expectation))"
        case .incompleteRequest: "the client closed the connection before the request was complete"
        case .deadlinePassed(let part): "the \(part) was not complete in time"
        case .tooManyConnections(let probes): "all connections except those reserved for \(probes) are busy"
        case .unanswered: "the request was not processed in time, and may still take effect"
        }
    }

    package var hint: String? {
        switch self {
        case .notFound(_, let hint): hint
        case .methodNotAllowed(_, let allowed): "use \(allowed)"
        case .unsupportedMediaType(_, let expected): "send \(expected.rawValue)"
        case .unsupportedContentCoding: "send the body as it is, without a Content-Encoding"
        case .bodyTooLarge: "send less in one request"
        case .headTooLarge: "send fewer and shorter fields"
        case .targetTooLong: "send data in the body"
        case .malformedRequest: nil
        case .missingHost, .repeatedHost: "send exactly one"
        case .invalidHost: "send a host name with an optional port"
        case .ambiguousLength: "send one Content-Length or Transfer-Encoding: chunked"
        case .unsupportedTransferCoding: "send chunked alone or a Content-Length"
        case .unsupportedExpectation: "only 100-continue is supported"
        case .incompleteRequest: "send the whole request"
        case .deadlinePassed: "send the request again without pauses"
        case .tooManyConnections: "use fewer connections, and send many requests over each"
        case .unanswered: "send it again later"
        }
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
}

/// Why bytes are not a well-formed request; the text is part of the answer.
///
/// - SeeAlso: [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112)
package enum IngressFault: String, Error, CaseIterable, Sendable {
    case method = "an unknown method, or none"
    case proxyHeader =
        "a header of the PROXY protocol, taken once, before TLS, with skan serve --proxy-protocol from a --trusted-proxy"
    case target = "a target other than a path, an http URL or an asterisk, or with characters outside visible ASCII"
    case version = "a version other than HTTP/1.0 and HTTP/1.1, or more than one space before it"
    case lineEnd = "a line feed without a carriage return before it, or a carriage return within a line"
    case foldedField = "a field that begins with white space"
    case fieldName = "a field whose name is not a token, or is not followed by a colon"
    case fieldValue = "a control character in a field"
    case length = "a Content-Length that is not a whole number"
    case chunkSize = "a chunk size that is not a hexadecimal number within 64 bits"
    case chunkExtension = "a chunk extension that is not made of tokens"
    case chunkEnd = "a chunk that does not end where its size says"
    case trailer = "a trailer field that belongs in the head"
}
