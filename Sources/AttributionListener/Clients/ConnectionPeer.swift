/// The other end of a connection, and whether it is trusted to name its client.
package struct ConnectionPeer: Sendable {
    /// Its address; `nil` when the system does not report one.
    package let address: InternetAddress?
    /// The proxies, when the peer is one of them.
    private let proxies: TrustedProxies?

    /// Looks an address up among the proxies.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - trustedProxies: The proxies that are trusted to name their clients.
    package init(_ address: InternetAddress?, trustedProxies: TrustedProxies) {
        self.address = address
        let isProxy = address.map { trustedProxies.contains($0) } ?? false
        proxies = isProxy ? trustedProxies : nil
    }

    /// Whether it forwards requests of other clients.
    var isProxy: Bool { proxies != nil }

    /// The field in which it names its client; `nil` when it is not trusted.
    var forwarding: ForwardingField? { proxies?.field }

    /// The network the census counts the connection for; a proxy is counted in the total only.
    var network: InternetAddress? { isProxy ? nil : address?.clientNetwork }

    /// The client of one request.
    ///
    /// - Parameter forwarded: The values of the field named by ``forwarding``.
    /// - Returns: The peer's own address, or the one the proxy reported; `nil` when that is not an address.
    func client(forwarded: [String]) -> InternetAddress? {
        guard let proxies, let address else { return address }
        return proxies.client(forwardedBy: address, values: forwarded)
    }

    /// Whether a client's requests count toward its share: those of clients behind a proxy do.
    ///
    /// Direct clients are bounded by their connections, each of which has one request in flight. A proxy's own requests
    /// are not bounded.
    func isShareBounded(_ client: InternetAddress?) -> Bool {
        guard let proxies else { return false }
        return client.map { !proxies.contains($0) } ?? true
    }
}
