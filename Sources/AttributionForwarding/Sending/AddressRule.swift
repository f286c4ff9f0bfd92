package import AttributionListener

/// Which addresses a destination may be at: those of the public Internet, and whatever its file allows.
///
/// So a name that leads to a machine of the operator, or to a cloud's metadata, is not connected to.
package struct AddressRule: Hashable, Sendable {
    private let allow: [InternetNetwork]
    private let isSecure: Bool

    /// Makes the rule of a destination; plain HTTP goes to allowed addresses only.
    package init(allow: [InternetNetwork], isSecure: Bool) {
        self.allow = allow
        self.isSecure = isSecure
    }

    /// Whether an address may be connected to; an IPv4 address that is written as an IPv6 one only if it is allowed.
    package func permits(_ address: InternetAddress, isMapped: Bool) -> Bool {
        allow.contains { $0.contains(address) }
            || isSecure && !isMapped && !Self.refused.contains { $0.contains(address) }
    }

    /// The networks that are not of the public Internet, or that lead to others.
    ///
    /// - SeeAlso: The special-purpose registries of IANA for
    ///   [IPv4](https://www.iana.org/assignments/iana-ipv4-special-registry) and
    ///   [IPv6](https://www.iana.org/assignments/iana-ipv6-special-registry).
    private static let refused: [InternetNetwork] = [
        "0.0.0.0/8",  // this host
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
        "100.64.0.0/10",  // behind carriers' NAT
        "127.0.0.0/8",  // loopback
        "169.254.0.0/16",  // link-local, and the metadata of clouds
        "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // protocols, documentation
        "192.88.99.0/24",  // 6to4 relays
        "198.18.0.0/15",  // benchmarks
        "224.0.0.0/4", "240.0.0.0/4",  // multicast, reserved, broadcast
        "::/96",  // unspecified, loopback, IPv4-compatible
        "64:ff9b::/96", "64:ff9b:1::/48",  // NAT64
        "100::/64",  // discarded
        "2001::/23",  // protocols, among them Teredo
        "2001:db8::/32", "3fff::/20",  // documentation
        "2002::/16",  // 6to4
        "5f00::/16",  // segment routing
        "fc00::/7", "fec0::/10",  // private
        "fe80::/10",  // link-local
        "ff00::/8",  // multicast
    ].compactMap { try? InternetNetwork($0) }
}
