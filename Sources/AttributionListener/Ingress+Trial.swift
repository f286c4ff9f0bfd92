package import CodedErrors
import NIOCore
import NIOPosix

extension Ingress {
    /// Listens at some addresses for a moment, accepting nothing, to find out what keeps a server from it.
    ///
    /// At all of them at once, because two may be the same port.
    ///
    /// - Parameter addresses: The addresses; port 0 for a free one.
    /// - Returns: The problem of each address that cannot be used.
    package static func tryListening(at addresses: [IngressAddress]) -> [any CodedError] {
        var listeners: [any Channel] = []
        var problems: [any CodedError] = []
        for address in addresses {
            guard case .port(let host, let port) = address else {
                if case .socket(let path, _) = address { problems += trySocket(path) }
                continue
            }
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

    /// Tries all that listening at a path needs, except replacing a socket that nobody listens at.
    private static func trySocket(_ path: String) -> [SocketError] {
        do throws(SocketError) {
            try SocketFile.checkIsUnused(path)
            try SocketFile(path).remove(nil)
            return []
        } catch {
            return [error]
        }
    }
}
