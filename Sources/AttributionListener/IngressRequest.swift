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
    package let client: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - route: The route that its path and method name.
    ///   - method: Its method.
    ///   - target: Its path and query.
    ///   - fields: The header fields that the routes keep.
    ///   - body: The body exactly as received.
    ///   - receivedAt: When the last byte was read.
    ///   - client: The client's network as text.
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
