import Glibc

/// A port of 127.0.0.1 that nobody else can take.
package final class TakenPort: Sendable {
    private let descriptor: Int32
    package let port: Int

    private struct Failed: Error {}

    /// Takes a free port.
    ///
    /// - Parameter isListening: Whether connections are made, which nobody serves, or refused.
    /// - Throws: When there is none.
    package init(isListening: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isTaken = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && (!isListening || listen(descriptor, 1) == 0)
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard isTaken else {
            throw Failed()
        }
    }

    deinit {
        close(descriptor)
    }
}
