package import struct FoundationEssentials.Date

/// One complete request that passed the checks of the listener.
package struct IngressRequest: Sendable {
    /// The route that its path and method name.
    package let route: IngressRoute
    /// Its method, one of the route's.
    package let method: IngressMethod
    /// Its path and query; nil unless the routes keep targets.
    package let target: RequestTarget?
    /// The header fields that the routes keep.
    package let fields: HeaderFields
    /// The body exactly as received, with the transfer coding removed; empty when there was none.
    package let body: [UInt8]
    /// When the last byte was read, by the clock the listener was given.
    package let receivedAt: Date
    /// The client's network as text: its IPv4 address or its IPv6 /64 network.
    ///
    /// The peer's own, or that of the client a trusted proxy reported; `nil` when it reported no usable address.
    package internal(set) var client: String?

    package init(
        route: IngressRoute, method: IngressMethod = .post, target: RequestTarget? = nil,
        fields: HeaderFields = HeaderFields(), body: [UInt8], receivedAt: Date, client: String?
    ) {
        self.route = route
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.receivedAt = receivedAt
        self.client = client
    }
}

/// What takes complete requests and answers them.
package enum IngressHandler: Sendable {
    /// Answers each exactly once, at any later time and from any thread.
    ///
    /// It is called on an event loop and must not block. A second answer to one request, and an answer whose client has
    /// gone or whose deadline has passed, are dropped.
    case callback(Callback)
    /// Answers each in a task of its own.
    ///
    /// The task is cancelled once a server that stops has closed its connections, and for a route with
    /// ``IngressRoute/endsWithClient`` as soon as the client goes away.
    case task(@Sendable (IngressRequest) async -> IngressAnswer)

    /// Takes a request, and what is to be called with its answer.
    package typealias Callback = @Sendable (IngressRequest, @escaping @Sendable (IngressAnswer) -> Void) -> Void
}

/// Runs work on an event loop of a listener: after everything that has arrived is read, or with a delay after the loop
/// has looked at its sockets again.
///
/// So what answers requests on the loop itself can answer all that arrived together, without waking another thread.
package typealias IngressSchedule = @Sendable (_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Void

/// The path and the query of a request target, as received.
package struct RequestTarget: Sendable, Equatable {
    /// The path; `/` where a target in absolute form has none.
    package let path: String
    /// What follows the question mark; empty without one.
    package let query: String

    /// Splits a target in origin form or absolute form.
    init(_ target: UnsafeRawBufferPointer) {
        var start = 0
        if let authority = IngressRoutes.authorityStart(of: target) {
            start = authority
            while start < target.count, target[start] != UInt8(ascii: "/"), target[start] != UInt8(ascii: "?") {
                start += 1
            }
        }
        let mark = target.index(of: UInt8(ascii: "?"), from: start)
        let path = target[bytes: start..<(mark ?? target.count)].text
        self.path = path.isEmpty ? "/" : path
        query = mark.map { target[bytes: ($0 + 1)..<target.count].text } ?? ""
    }

    /// The path and the query together.
    package var text: String {
        query.isEmpty ? path : path + "?" + query
    }

    /// The last element of the path, for which a route may have braces.
    package var lastElement: String {
        path.split(separator: "/").last.map(String.init) ?? ""
    }
}

/// The header fields that a request is handed over with.
package struct HeaderFields: Sendable, Equatable {
    private struct Line: Equatable {
        let name: String
        let value: String
    }

    private var lines: [Line] = []

    /// Makes the fields of a request that has none of them.
    package init() {}

    /// Adds a line.
    package mutating func append(_ name: String, _ value: String) {
        // Otherwise it would grow twice for the two fields of a bid.
        if lines.isEmpty { lines.reserveCapacity(4) }
        lines.append(Line(name: name, value: value))
    }

    /// Whether a browser sent them: it names HTML among what it accepts, and programs name what they read, or nothing.
    package var acceptsPages: Bool {
        values("accept").contains { line in
            line.split(separator: ",").contains { range in
                range.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == "text/html"
            }
        }
    }

    /// The value of each line of a field, in order.
    package func values(_ name: String) -> [String] {
        var values: [String] = []
        for line in lines where line.name == name { values.append(line.value) }
        return values
    }

    /// The value of the first line of a field; nil when there is none.
    package subscript(name: String) -> String? {
        lines.first { $0.name == name }?.value
    }
}
