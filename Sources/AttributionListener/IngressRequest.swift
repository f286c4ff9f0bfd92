package import struct FoundationEssentials.Date

/// One complete request that passed the checks of the ingress.
package struct IngressRequest: Sendable {
    /// The path it was posted to.
    package let route: IngressRoute
    /// The body exactly as received, with the transfer coding removed; empty when there was none.
    package let body: [UInt8]
    /// When the last byte was read, by the clock the ingress was given.
    package let receivedAt: Date
    /// The client's network as text: its IPv4 address or its IPv6 /64 network.
    ///
    /// The peer's own, or that of the client a trusted proxy reported; `nil` when it reported no usable address.
    package let client: String?
    /// What it says of its sender; empty unless the routes read credentials.
    package let credentials: RequestCredentials

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - route: The path it was posted to.
    ///   - body: The body exactly as received.
    ///   - receivedAt: When the last byte was read.
    ///   - client: The client's network as text.
    ///   - credentials: What it says of its sender.
    package init(
        route: IngressRoute, body: [UInt8], receivedAt: Date, client: String?,
        credentials: RequestCredentials = RequestCredentials()
    ) {
        self.credentials = credentials
        self.route = route
        self.body = body
        self.receivedAt = receivedAt
        self.client = client
    }
}

/// What a request says of its sender.
package struct RequestCredentials: Sendable, Equatable {
    /// The value of each Authorization line.
    package var authorization: [String] = []
    /// The value of the Host field, shortened; empty when there is none.
    package var host = ""

    /// Makes the credentials of a request that says nothing.
    package init() {}
}

/// Takes complete requests and answers each exactly once, at any later time and from any thread.
///
/// It is called on an event loop and must not block. A second answer to one request, and an answer whose client has
/// gone or whose deadline has passed, are dropped.
package typealias IngressHandler =
    @Sendable (IngressRequest, @escaping @Sendable (IngressAnswer) -> Void) -> Void
