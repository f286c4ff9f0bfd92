import AttributionListener
import Foundation
import ServiceLifecycle

/// Where signing requests are taken: `HOST:PORT`, or `unix:PATH` for a Unix socket.
package enum SigningAddress: Hashable, Sendable, CustomStringConvertible {
    case port(ListenAddress)
    /// The path of a socket that only the server's own user can connect to.
    case socket(String)

    private static let prefix = "unix:"

    /// Reads `HOST:PORT` or `unix:PATH`; nil for anything else.
    package init?(_ text: String) {
        if text.hasPrefix(Self.prefix) {
            let path = text.dropFirst(Self.prefix.count)
            guard !path.isEmpty, path.last != "/" else {
                return nil
            }
            self = .socket(String(path))
        } else if let address = ListenAddress(text) {
            self = .port(address)
        } else {
            return nil
        }
    }

    /// Whether only this machine can reach it.
    package var isLocal: Bool {
        switch self {
        case .port(let address): address.isLoopback
        case .socket: true
        }
    }

    package var description: String {
        switch self {
        case .port(let address): address.description
        case .socket(let path): Self.prefix + path
        }
    }

    var ingress: IngressAddress {
        switch self {
        case .port(let address): .port(host: address.host, port: address.port)
        case .socket(let path): .socket(path: path)
        }
    }
}

/// The listener of signing requests, which has its counts written as soon as it has stopped.
///
/// The other listeners and the console stop after it, and none of them can take so long that the counts are lost.
struct SigningListener: Service {
    let ingress: Ingress
    let counts: SignedCounts?

    func run() async throws {
        defer { writeCounts() }
        try await ingress.run()
    }

    /// Begins to write on a thread of its own, because it may have to wait for the store.
    ///
    /// ``Server/close()`` waits for it, and writes what could not be written.
    private func writeCounts() {
        guard let counts else { return }
        let thread = Thread { counts.write() }
        thread.name = "skan-counts"
        thread.start()
    }
}
