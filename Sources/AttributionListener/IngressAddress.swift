/// Where a listener is reached.
package enum IngressAddress: Hashable, Sendable {
    /// A host, which may be a name, and a port; 0 for a free one.
    case port(host: String, port: Int)
    /// The path of a Unix socket.
    case socket(path: String)

    /// The port; nil for a socket.
    package var port: Int? {
        if case .port(_, let port) = self { port } else { nil }
    }
}
