extension String {
    /// Whether a Host field, `name` or `name:port`, names this machine itself.
    package var isLoopbackAuthority: Bool {
        // Enough for an IPv6 address with its port. Checked because clients may send 16 KiB with every request.
        guard utf8.count <= 64 else {
            return false
        }
        var host = self[...]
        if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) {
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        }
        return host.lowercased() == "localhost" || InternetAddress(host)?.isLoopback == true
    }
}
