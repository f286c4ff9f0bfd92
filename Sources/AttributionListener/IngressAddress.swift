/// Where a listener is reached.
package enum IngressAddress: Hashable, Sendable {
    /// A host, which may be a name, and a port; 0 for a free one.
    case port(host: String, port: Int)
    /// The path of a Unix socket; with a lease that keeps other processes from it, one that is found there is replaced.
    case socket(path: String, isLeased: Bool = false)

    /// The port; nil for a socket.
    package var port: Int? {
        if case .port(_, let port) = self { port } else { nil }
    }
}
