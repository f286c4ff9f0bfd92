import Attribution
import Synchronization

/// The other end of a connection, and whether it is trusted to name its client.
package struct ConnectionPeer: Sendable {
    /// Its address; `nil` when the system does not report one.
    package let address: InternetAddress?
    /// The proxies, when the peer is one of them.
    private let proxies: TrustedProxies?

    /// Looks an address up among the proxies.
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

/// Bounds how many requests of one client behind trusted proxies are being handled at one time.
///
/// Direct clients are bounded by their connections, each of which has one request in flight. A proxy's connections are
/// shared by its clients: without this bound one client could occupy all of them.
final class ClientShares: Sendable {
    /// Whose share a request counts toward: a client's network, or nil for all clients that the proxies did not name.
    typealias Holder = InternetAddress?

    private let limit: Int
    private let taken = Mutex<[Holder: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one more request.
    func take(_ holder: Holder) -> Bool {
        taken.withLock { taken in
            let count = taken[holder, default: 0]
            guard count < limit else { return false }
            taken[holder] = count + 1
            return true
        }
    }

    /// Counts one request fewer.
    func giveBack(_ holder: Holder) {
        taken.withLock { taken in
            guard let count = taken[holder] else { return }
            taken[holder] = count > 1 ? count - 1 : nil
        }
    }

    /// Why a request beyond the share is refused; the code is that of a full queue because the remedy is the same.
    static let refusal = Refusal(
        .overloaded, "too many requests from this client are waiting for their answers", hint: "send it again")
}
