import Glibc

/// A port of 127.0.0.1 that something listens on.
package final class TakenPort: Sendable {
    private let descriptor: Int32
    package let port: Int

    private struct Failed: Error {}

    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 1) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard isListening else {
            throw Failed()
        }
    }

    deinit {
        close(descriptor)
    }
}
