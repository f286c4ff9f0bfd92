/// The other end of a connection, and whether it is trusted to name its client.
package struct ConnectionPeer: Sendable {
    /// Its address; `nil` when the system does not say.
    package let address: InternetAddress?
    /// The proxies, when the peer is one of them.
    private let proxies: TrustedProxies?

    /// Looks an address up among the proxies.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - trustedProxies: The proxies whose word about their client is taken.
    package init(_ address: InternetAddress?, trustedProxies: TrustedProxies) {
        self.address = address
        let isProxy = address.map { trustedProxies.contains($0) } ?? false
        proxies = isProxy ? trustedProxies : nil
    }

    /// Whether it speaks for clients of its own.
    var isProxy: Bool { proxies != nil }

    /// The field in which it names its client; `nil` when nothing it says is believed.
    var forwarding: ForwardingField? { proxies?.field }

    /// Whom the census counts the connection for; a proxy is counted in total only.
    var network: InternetAddress? { isProxy ? nil : address?.clientNetwork }

    /// The client of one request.
    ///
    /// - Parameter forwarded: The values of the field named by ``forwarding``.
    /// - Returns: The peer's own address, or what the proxy reported; `nil` when that is no address.
    func client(forwarded: [String]) -> InternetAddress? {
        guard let proxies, let address else { return address }
        return proxies.client(forwardedBy: address, values: forwarded)
    }

    /// Whether requests of a client are counted for its share: those of clients behind a proxy are.
    ///
    /// Direct clients have a bound on their connections, each of which has one request in flight. A proxy that speaks
    /// for itself, or names no client, is not bounded.
    func isShareBounded(_ client: InternetAddress?) -> Bool {
        guard let proxies else { return false }
        return client.map { !proxies.contains($0) } ?? true
    }
}
