import NIOCore
import NIOPosix

extension Ingress {
    /// Listens at some addresses for a moment, accepting nothing, to find out what keeps a server from it.
    ///
    /// At all of them at once, because two may be the same port.
    ///
    /// - Parameter addresses: Hosts and ports; port 0 for a free one.
    /// - Returns: The problem of each address that cannot be used.
    package static func tryListening(at addresses: [(host: String, port: Int)]) -> [IngressError] {
        var listeners: [any Channel] = []
        var problems: [IngressError] = []
        for (host, port) in addresses {
            do {
                let listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .serverChannelOption(.autoRead, value: false)
                    .bind(host: host, port: port).wait()
                listeners.append(listener)
            } catch {
                problems.append(IngressError(binding: error, host: host, port: port))
            }
        }
        for listener in listeners { try? listener.close().wait() }
        return problems
    }
}
