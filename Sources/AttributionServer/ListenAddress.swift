import AttributionListener

/// `HOST:PORT`, with IPv6 addresses in brackets.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    /// The port; 0 for a free one.
    package let port: Int

    /// Reads `HOST:PORT`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else {
            return nil
        }
        self.host = String(host)
        self.port = port
    }

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        // By the address: a name such as 127.example.com can resolve to any machine.
        InternetAddress(host)?.isLoopback ?? (host == "localhost")
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
