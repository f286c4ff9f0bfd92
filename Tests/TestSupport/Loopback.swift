package import Glibc

/// Calls of sockets with addresses of this machine.
package enum Loopback {
    /// Calls `bind` or `connect` with an IPv4 address of loopback.
    ///
    /// - Returns: Whether it succeeded; `errno` says why not.
    package static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
        host: String = "127.0.0.1", port: Int
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Binds a socket to a free port of 127.0.0.1.
    ///
    /// - Returns: The port; nil when there is none.
    package static func takePort(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(bind, descriptor, port: 0) && getsockname(descriptor, $0, &size) == 0
            }
        }
        return isBound ? Int(in_port_t(bigEndian: address.sin_port)) : nil
    }

    /// Sends all bytes; `false` when the other side has gone.
    static func send(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        var pending = Array(bytes)[...]
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            pending = pending.dropFirst(count)
        }
        return true
    }
}
