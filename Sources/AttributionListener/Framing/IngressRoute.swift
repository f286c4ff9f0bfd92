/// A path that a listener serves, with its method.
///
/// A path matches with and without a trailing slash; the query is ignored.
package struct IngressRoute: Hashable, Sendable {
    /// Its index among the routes of its listener.
    package internal(set) var index = 0
    /// The method it answers.
    package let method: IngressMethod
    /// Whether it answers HEAD as GET, without the body.
    package let answersHead: Bool
    /// The path, without a trailing slash; its last element in braces stands for any.
    package let path: String
    /// What its bodies are; nil where the route looks at that itself, or has none.
    package let mediaType: IngressMediaType?
    /// Whether it is served on the connections of ``IngressLimits/reservedConnections``.
    package let servesProbes: Bool
    /// Whether the work for an answer ends when the client goes away.
    package let endsWithClient: Bool

    package init(
        _ path: String, method: IngressMethod = .post, answersHead: Bool = false,
        mediaType: IngressMediaType? = .json, servesProbes: Bool = false, endsWithClient: Bool = false
    ) {
        self.path = path
        self.method = method
        self.answersHead = answersHead
        self.mediaType = mediaType
        self.servesProbes = servesProbes
        self.endsWithClient = endsWithClient
    }

    func answers(_ method: IngressMethod) -> Bool {
        method == self.method || method == .head && answersHead
    }

    /// The methods it answers, for an Allow field.
    var methods: String {
        answersHead ? "\(method.rawValue), HEAD" : method.rawValue
    }
}

/// The media type of the bodies of requests.
package enum IngressMediaType: String, Hashable, Sendable {
    /// One JSON value.
    case json = "application/json"
    /// One JSON object per line.
    case ndjson = "application/x-ndjson"
    /// The fields of a form.
    case form = "application/x-www-form-urlencoded"

    /// Whether the value of a Content-Type field is this media type, with any parameters.
    package func matches(_ value: String) -> Bool {
        Array(value.utf8).withUnsafeBytes { $0.isMediaType(self) }
    }
}

/// The methods that are recognized; a route answers those that are not its own 405.
///
/// Anything else is not a request. CONNECT is left out on purpose: it would turn the connection into a tunnel, and its
/// target has a form of its own.
package enum IngressMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"
    case patch = "PATCH"
    case query = "QUERY"

    /// The length of the longest method.
    static let longest = 7

    /// Reads a method.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Self.longest else { return nil }
        self.init(rawValue: bytes.text)
    }
}
