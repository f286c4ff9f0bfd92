import NIOHTTP1

extension HTTPClient.Request {
    /// How a server is reached whose name is not to be looked up.
    package enum Route: Hashable, Sendable {
        /// At one of these addresses, tried in turn.
        case addresses([InternetAddress])
        /// Through a proxy, which looks the server up and connects to it (RFC 9110, section 9.3.6).
        case proxy(host: String, port: Int)
    }

    /// Makes a request of any method to a server that is reached by a route; a certificate must be for its name.
    ///
    /// - Parameters:
    ///   - method: The method, such as `PUT`.
    ///   - target: The path and the query, percent-encoded.
    ///   - host: The name of the server, or its address without brackets.
    ///   - port: The port of the server.
    ///   - isSecure: Whether it speaks TLS.
    ///   - route: How it is reached.
    ///   - fields: The header, without `Host` and `Content-Length`.
    ///   - content: The body; nil for a request without one.
    package init(
        _ method: String, _ target: String, host: String, port: Int, isSecure: Bool, route: Route,
        fields: [(name: String, value: String)], content: [UInt8]?
    ) {
        let authority = host.contains(":") ? "[\(host)]" : host
        var head = HTTPHeaders([("Host", port == (isSecure ? 443 : 80) ? authority : "\(authority):\(port)")])
        for field in fields { head.add(name: field.name, value: field.value) }
        if let content { head.add(name: "Content-Length", value: String(content.count)) }
        self.init(
            to: .routed(route, host: host, port: port, isSecure: isSecure),
            HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: head),
            content.map { .whole($0) })
    }
}
