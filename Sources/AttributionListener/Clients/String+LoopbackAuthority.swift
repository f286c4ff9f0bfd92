extension String {
    /// Whether a Host field, `name` or `name:port`, names this machine itself.
    package var isLoopbackAuthority: Bool {
        // Enough for an IPv6 address with its port. Checked because clients may send 16 KiB with every request.
        guard utf8.count <= 64 else {
            return false
        }
        var host = utf8[...]
        if let colon = host.lastIndex(of: UInt8(ascii: ":")),
            host[host.index(after: colon)...].allSatisfy({ (0x30...0x39).contains($0) })
        {
            host = host[..<colon]
        }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        return host.elementsEqual("localhost".utf8) { $0 | 0x20 == $1 }
            || InternetAddress(Substring(host))?.isLoopback == true
    }
}
