/// The proxies that are trusted to name their clients.
package struct TrustedProxies: Sendable {
    /// No proxies: the client is the peer.
    package static let none = TrustedProxies(networks: [], field: .xForwardedFor)

    /// The field the proxies write.
    package let field: ForwardingField
    private let networks: [InternetNetwork]

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
    package func contains(_ address: InternetAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The maximum number of entries examined: more proxies than any request passes.
    private static let hops = 32

    /// The client a trusted peer forwards for: the rightmost address that is not a trusted proxy.
    ///
    /// When all are trusted, the leftmost one; without the field, the peer. An entry that is not an address ends the
    /// search, because entries to its left cannot be trusted, and so does the 33rd.
    package func client(forwardedBy peer: InternetAddress, values: [String]) -> InternetAddress? {
        var client = peer
        var hops = 0
        for var value in values.reversed() {
            // Nil while the search continues.
            let outcome: InternetAddress?? = value.withUTF8 { bytes in
                var entries = ForwardedEntries(UnsafeRawBufferPointer(bytes), hasQuotes: field == .forwarded)
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

/// The header field in which a trusted proxy reports its client.
///
/// One of the two, because a proxy that writes one passes the other on as the client sent it.
package enum ForwardingField: String, Sendable, CaseIterable {
    /// `X-Forwarded-For: client, proxy`.
    case xForwardedFor = "x-forwarded-for"
    /// `Forwarded: for=client, for=proxy`.
    ///
    /// - SeeAlso: RFC 7239.
    case forwarded = "forwarded"
}

/// The members of a comma-separated list from the last to the first; quoted commas do not separate, where the field has
/// quotes at all: in another, one that a client leaves open would hide what the proxy adds behind it.
///
/// Lazy, and bounded in the length of a member, so that a field made up by a client costs one pass over its bytes.
struct ForwardedEntries {
    /// More than a proxy writes about one client, its host and the proxy's own name included.
    static let longest = 512

    private let bytes: UnsafeRawBufferPointer
    /// The end of the next member; nil after the first one of the list.
    private var end: Int?
    private var isQuoted: Bool
    private let hasQuotes: Bool

    /// Begins at the end of a list.
    init(_ bytes: UnsafeRawBufferPointer, hasQuotes: Bool) {
        self.bytes = bytes
        self.hasQuotes = hasQuotes
        end = bytes.count
        var quotes = 0
        for byte in bytes where hasQuotes && byte == UInt8(ascii: "\"") { quotes += 1 }
        // Seen from the left, what follows an odd number of quotes is quoted.
        isQuoted = quotes % 2 == 1
    }

    /// The next member; nil when there is none.
    ///
    /// A member longer than ``longest`` is returned empty and ends the list: a part of it could mean something else.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let end else { return nil }
        var start = end
        self.end = nil
        while start > 0 {
            guard end - start < Self.longest else { return bytes[bytes: 0..<0] }
            let byte = bytes[start - 1]
            if hasQuotes, byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                self.end = start - 1
                break
            }
            start -= 1
        }
        return bytes[bytes: start..<end]
    }
}
