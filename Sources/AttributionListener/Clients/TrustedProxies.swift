/// The proxies that are trusted to name their clients.
package struct TrustedProxies: Sendable {
    /// No proxies: the client is the peer.
    package static let none = TrustedProxies(networks: [], field: .xForwardedFor)

    /// The field the proxies write.
    package let field: ForwardingField
    private let networks: [InternetNetwork]

    /// Makes a list of proxies.
    ///
    /// - Parameters:
    ///   - networks: Addresses and networks in CIDR form, such as `10.0.0.0/8`.
    ///   - field: The field the proxies write; the other one is ignored, since a client can send it.
    /// - Throws: ``IngressError/malformedNetwork(_:)``.
    package init(_ networks: [String], field: ForwardingField = .xForwardedFor) throws(IngressError) {
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

    /// The maximum number of entries examined: more proxies than any request passes.
    private static let hops = 32

    /// The client a trusted peer forwards for: the rightmost address that is not a trusted proxy.
    ///
    /// When all are trusted, the leftmost one; without the field, the peer. An entry that is not an address ends the
    /// search, because entries to its left cannot be trusted, and so does the 33rd.
    ///
    /// - Parameters:
    ///   - peer: The trusted peer.
    ///   - values: The values of all lines of the field, in order.
    /// - Returns: `nil` when the search ended without an address.
    package func client(forwardedBy peer: InternetAddress, values: [String]) -> InternetAddress? {
        var client = peer
        var hops = 0
        for var value in values.reversed() {
            // Nil while the search continues.
            let outcome: InternetAddress?? = value.withUTF8 { bytes in
                var entries = ForwardedEntries(UnsafeRawBufferPointer(bytes))
                while let entry = entries.next() {
                    hops += 1
                    guard hops <= Self.hops, let address = address(in: entry) else { return .some(nil) }
                    client = address
                    if !contains(address) { return address }
                }
                return nil
            }
            if let outcome { return outcome }
        }
        return client
    }

    private func address(in entry: UnsafeRawBufferPointer) -> InternetAddress? {
        switch field {
        case .xForwardedFor: Self.address(of: entry.trimmed)
        case .forwarded: Self.node(in: entry).flatMap { Self.address(of: $0) }
        }
    }

    /// The value of the parameter `for`; quoted semicolons do not separate, because a client chooses what `host` holds.
    private static func node(in entry: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var start = 0
        var isQuoted = false
        for index in 0...entry.count {
            if index < entry.count {
                if entry[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
                guard entry[index] == UInt8(ascii: ";"), !isQuoted else { continue }
            }
            let pair = entry[bytes: start..<index]
            start = index + 1
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), pair[bytes: 0..<equals].trimmed.isField("for")
            else { continue }
            let value = pair[bytes: (equals + 1)..<pair.count].trimmed
            let isInQuotes =
                value.count >= 2 && value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"")
            return isInQuotes ? value[bytes: 1..<(value.count - 1)] : value
        }
        return nil
    }

    /// Reads an address that may carry a port: `192.0.2.1:80`, `[2001:db8::1]:80`, `[2001:db8::1]`.
    private static func address(of text: UnsafeRawBufferPointer) -> InternetAddress? {
        if let plain = InternetAddress(text) { return plain }
        let colon = UInt8(ascii: ":")
        if text.first == UInt8(ascii: "["), let end = text.firstIndex(of: UInt8(ascii: "]")) {
            let rest = text[bytes: (end + 1)..<text.count]
            guard rest.isEmpty || rest.first == colon else { return nil }
            return InternetAddress(text[bytes: 1..<end])
        }
        guard let first = text.firstIndex(of: colon), text.lastIndex(of: colon) == first else { return nil }
        return InternetAddress(text[bytes: 0..<first])
    }
}
