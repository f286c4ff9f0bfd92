import AttributionListener
import CodedErrors
import HTTPTypes
import Hummingbird
import NIOHTTP1

/// What is wrong with a request or its connection before it reaches a route.
///
/// The connection's handler replaces such a request with one that only the refusal answers. So it is answered in order
/// and in the console's usual form, and is the connection's last.
enum ConsoleFault: CodedError, CaseIterable, Equatable {
    case malformed
    case headTooLarge
    case missingHost
    case repeatedHost
    case unsupportedTransferCoding
    case unsupportedExpectation
    case tooManyConnections

    /// A method that no client can send, because the decoder accepts registered ones only.
    private static let method = "SKAN-REFUSED"

    /// Judges a head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - isOpen: Whether its route is open to everyone.
    init?(of head: HTTPRequestHead, isOpen: Bool) {
        // What endangers the framing first, as on the public listener: the decoder takes any list of codings for chunked.
        let codings = head.headers["transfer-encoding"]
        let hosts = head.headers[canonicalForm: "host"].count
        if !codings.isEmpty, codings.map({ $0.lowercased() }) != ["chunked"] {
            self = .unsupportedTransferCoding
        } else if hosts > 1 {
            self = .repeatedHost
        } else if hosts == 0, head.version != .http1_0 || !isOpen {
            // Load balancers probe with HTTP/1.0, which has no Host.
            self = .missingHost
        } else if head.version == .http1_1,
            head.headers["expect"].contains(where: { !$0.isEmpty && $0.lowercased() != "100-continue" })
        {
            self = .unsupportedExpectation
        } else {
            return nil
        }
    }

    /// The fault of a request made by ``request``.
    init?(_ request: Request) {
        guard request.method.rawValue == Self.method else { return nil }
        guard let fault = Self.allCases.first(where: { request.uri.path == "/" + $0.code.rawValue }) else { return nil }
        self = fault
    }

    /// The request that is refused in place of what was sent.
    var request: HTTPRequestHead {
        HTTPRequestHead(
            version: .http1_1, method: .RAW(value: Self.method), uri: "/" + code.rawValue,
            headers: ["connection": "close"])
    }

    var code: ErrorCode {
        switch self {
        case .malformed: .malformedRequest
        case .headTooLarge: .headTooLarge
        case .missingHost: .missingHost
        case .repeatedHost: .repeatedHost
        case .unsupportedTransferCoding: .unsupportedTransferCoding
        case .unsupportedExpectation: .unsupportedExpectation
        case .tooManyConnections: .tooManyConnections
        }
    }

    var message: String {
        switch self {
        case .malformed: "the bytes are not a well-formed HTTP/1.1 request; see RFC 9112"
        case .headTooLarge: "the head is larger than 16384 bytes or has more than 64 fields"
        case .missingHost: "the request has no Host field"
        case .repeatedHost: "the request has more than one Host field"
        case .unsupportedTransferCoding: "the Transfer-Encoding is not chunked alone"
        case .unsupportedExpectation: "the Expect field is not 100-continue"
        case .tooManyConnections:
            "all connections except those reserved for /healthz, /readyz and /metrics are busy"
        }
    }

    var hint: String? {
        switch self {
        case .headTooLarge: "send fewer and shorter fields"
        case .missingHost, .repeatedHost: "send exactly one"
        case .unsupportedTransferCoding: "send chunked alone or a Content-Length"
        case .unsupportedExpectation: "only 100-continue is supported"
        case .tooManyConnections: "use fewer connections, and send many requests over each"
        case .malformed: nil
        }
    }
}

/// Answers the requests that were found faulty before they reached a route.
struct FaultyRequests: RouterMiddleware {
    @concurrent func handle(
        _ request: Request,
        context: ConsoleContext,
        next: @concurrent (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        guard let fault = ConsoleFault(request) else {
            return try await next(request, context)
        }
        return .refusing(fault)
    }
}
