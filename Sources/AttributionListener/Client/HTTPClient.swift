import FoundationEssentials
package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Sends requests over HTTP/1.1 and keeps connections for the next ones as long as it exists.
///
/// Redirects are not followed, because devices may not follow them.
package final class HTTPClient: Sendable {
    /// What a server answered.
    package struct Answer: Sendable {
        /// The HTTP status.
        package let status: Int
        /// The fields of the head, with names as they came.
        package let fields: [(name: String, value: String)]
        /// The body, or its beginning.
        package let body: [UInt8]
        /// Whether the body is complete.
        package let isWhole: Bool

        /// The first value of a field, whose name is compared without letter case.
        package func field(_ name: String) -> String? {
            let name = name.lowercased()
            return fields.first { $0.name.lowercased() == name }?.value
        }

        /// The body of an answer that is needed whole.
        package func wholeBody() throws(Failure) -> [UInt8] {
            guard isWhole else { throw .tooLong }
            return body
        }
    }

    /// Errors of the client itself.
    package enum Failure: Error, Hashable {
        /// Not an HTTP URL.
        case invalidURL
        /// The answer took longer than it may.
        case tooSlow
        /// The body is longer than it may be.
        case tooLong
        /// The connection was closed.
        case closed
        /// The server is not trusted, or there is no version of TLS in common.
        case handshakeFailed
        /// The server's certificate is for another name.
        case wrongName
        /// The name has no address.
        case noAddress
        /// The proxy does not connect to the server; 0 for what is no answer of HTTP.
        case proxyRefused(status: Int)
    }

    /// For the life of the process.
    package static let shared = HTTPClient()

    private let idle = Mutex<[Request.Origin: [(connection: HTTPConnection, since: NIODeadline)]]>([:])
    private let longestIdle: TimeAmount

    /// Makes a client that uses a connection again unless it was idle for longer.
    ///
    /// Servers close idle connections after some seconds, perhaps just as a request is on its way.
    package init(longestIdle: Duration = .seconds(2)) {
        self.longestIdle = TimeAmount(longestIdle)
    }

    deinit {
        for entry in idle.withLock({ $0.values.joined() }) { entry.connection.close() }
    }

    /// Sends a request, keeps so many bytes of the answer's body, and waits so long for all of it; with a pause, the body
    /// may take longer as long as it pauses no longer than that.
    ///
    /// A GET request is sent again over a new connection if the server had closed an idle one; a POST request only if
    /// none of it was sent, because the server may have acted on it.
    package func send(
        _ request: Request, keeping length: Int, within limit: Duration, pausing pause: Duration? = nil
    ) async throws -> Answer {
        let deadline = NIODeadline.now() + TimeAmount(limit)
        let exchange = { (connection: HTTPConnection) async throws -> Answer in
            let outcome = try await connection.send(
                request, keeping: length, until: deadline, pausing: pause.map { TimeAmount($0) })
            if outcome.isReusable { self.keep(connection, to: request.origin) }
            return outcome.answer
        }
        do {
            if let connection = takeIdle(request.origin) {
                do {
                    return try await exchange(connection)
                } catch let error as HTTPConnection.Unanswered where request.body == nil || !error.isSent {
                    // The server had closed it.
                }
            }
            return try await exchange(HTTPConnection.connect(to: request.origin, until: deadline))
        } catch let error as HTTPConnection.Unanswered {
            throw error.cause
        }
    }

    private func keep(_ connection: HTTPConnection, to origin: Request.Origin) {
        let now = NIODeadline.now()
        idle.withLock { idle in
            idle[origin] = (idle[origin] ?? []).filter { isUsable($0, at: now) } + [(connection, now)]
        }
    }

    /// The newest connection that the server has not closed and will not close yet.
    private func takeIdle(_ origin: Request.Origin) -> HTTPConnection? {
        let now = NIODeadline.now()
        return idle.withLock { idle in
            while let entry = idle[origin]?.popLast() {
                if isUsable(entry, at: now) { return entry.connection }
            }
            return nil
        }
    }

    /// Whether a connection can take a request; it is closed otherwise.
    private func isUsable(_ entry: (connection: HTTPConnection, since: NIODeadline), at now: NIODeadline) -> Bool {
        guard entry.connection.isActive, now - entry.since < longestIdle else {
            entry.connection.close()
            return false
        }
        return true
    }
}

extension HTTPClient {
    /// A GET request, or a POST request with a body of JSON.
    package struct Request: Sendable {
        /// What is posted.
        package enum Body: Sendable {
            /// Sent at once.
            case whole([UInt8])
            /// Sent in pieces, while the answer is awaited.
            case pieces(any AsyncSequence<ByteBuffer, any Error> & Sendable, count: Int)

            fileprivate var count: Int {
                switch self {
                case .whole(let bytes): bytes.count
                case .pieces(_, let count): count
                }
            }
        }

        enum Origin: Hashable, Sendable {
            /// A name, or an address without brackets.
            case server(host: String, port: Int, isSecure: Bool)
            /// The path of a Unix socket.
            case socket(String)
            /// A server whose address is not looked up.
            case routed(Route, host: String, port: Int, isSecure: Bool)
        }

        let origin: Origin
        let head: HTTPRequestHead
        /// Nil for a GET request.
        let body: Body?

        /// Makes a request; with the path of a socket, which is connected to instead of the URL's host.
        package init(
            url: String, socket: String? = nil, json: Body? = nil, mediaType: IngressMediaType = .json,
            token: String? = nil
        ) throws(Failure) {
            let secure = ["http": false, "https": true]
            guard let parts = URLComponents(string: url), let isSecure = secure[parts.scheme?.lowercased() ?? ""],
                let host = parts.encodedHost, !host.isEmpty,
                let port = UInt16(exactly: parts.port ?? (isSecure ? 443 : 80))
            else { throw .invalidURL }
            // An IPv6 address has brackets in a URL, and nowhere else.
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            origin =
                socket.map { .socket($0) }
                ?? .server(
                    host: isBracketed ? String(host.dropFirst().dropLast()) : host, port: Int(port), isSecure: isSecure)
            var fields = HTTPHeaders([("Host", port == (isSecure ? 443 : 80) ? host : "\(host):\(port)")])
            if let token { fields.add(name: "Authorization", value: "Bearer \(token)") }
            if let json {
                fields.add(name: "Content-Type", value: mediaType.rawValue)
                fields.add(name: "Content-Length", value: String(json.count))
            }
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            head = HTTPRequestHead(
                version: .http1_1, method: json == nil ? .GET : .POST,
                uri: path + (parts.percentEncodedQuery.map { "?" + $0 } ?? ""), headers: fields)
            body = json
        }

        init(to origin: Origin, _ head: HTTPRequestHead, _ body: Body?) {
            self.origin = origin
            self.head = head
            self.body = body
        }
    }
}
