/// The proxies whose word about their client is taken.
public struct TrustedProxies: Sendable {
    /// Trusts nobody: the client is the peer.
    public static let none = TrustedProxies(networks: [], field: .xForwardedFor)

    /// The field the proxies write.
    public let field: ForwardingField
    private let networks: [InternetNetwork]

    /// Makes a list of proxies.
    ///
    /// - Parameters:
    ///   - networks: Addresses and networks in CIDR form, such as `10.0.0.0/8`.
    ///   - field: The field the proxies write; the other one is ignored, since a client can send it.
    /// - Throws: ``IngressError/malformedNetwork(_:)``.
    public init(_ networks: [String], field: ForwardingField = .xForwardedFor) throws(IngressError) {
        var parsed: [InternetNetwork] = []
        for network in networks { parsed.append(try InternetNetwork(network)) }
        self.init(networks: parsed, field: field)
    }

    private init(networks: [InternetNetwork], field: ForwardingField) {
        self.networks = networks
        self.field = field
    }

    /// Whether an address is one of the proxies.
    ///
    /// - Parameter address: The peer's address.
    /// - Returns: `true` when one of the networks contains it.
    package func contains(_ address: InternetAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The client a trusted peer speaks for: the rightmost address that is not a trusted proxy.
    ///
    /// When all are trusted, the leftmost one; without the field, the peer. An entry that is no address ends the
    /// search, because what stands left of it is hearsay.
    ///
    /// - Parameters:
    ///   - peer: The trusted peer.
    ///   - values: The values of all lines of the field, in order.
    /// - Returns: `nil` when the search met an entry that is no address.
    package func client(forwardedBy peer: InternetAddress, values: [String]) -> InternetAddress? {
        var client = peer
        for entry in values.flatMap({ Self.entries(of: $0) }).reversed() {
            guard let text = node(in: entry), let address = Self.address(of: text) else { return nil }
            client = address
            guard contains(address) else { return address }
        }
        return client
    }

    /// Splits at commas outside quotes.
    private static func entries(of value: String) -> [Substring] {
        var isQuoted = false
        return value.split(omittingEmptySubsequences: false) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    private func node(in entry: Substring) -> Substring? {
        switch field {
        case .xForwardedFor:
            return entry.trimmingOptionalWhitespace
        case .forwarded:
            for pair in entry.split(separator: ";") {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard sides.count == 2, sides[0].trimmingOptionalWhitespace.lowercased() == "for" else { continue }
                let value = sides[1].trimmingOptionalWhitespace
                return value.count >= 2 && value.first == "\"" && value.last == "\""
                    ? value.dropFirst().dropLast() : value
            }
            return nil
        }
    }

    /// Reads an address that may carry a port: `192.0.2.1:80`, `[2001:db8::1]:80`, `[2001:db8::1]`.
    private static func address(of text: Substring) -> InternetAddress? {
        if let plain = InternetAddress(text) { return plain }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return InternetAddress(text[text.index(after: text.startIndex)..<end])
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? InternetAddress(parts[0]) : nil
    }
}
