import AttributionListener
import Hummingbird
import HummingbirdCore
package import Logging
package import Metrics
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The console's routes on a Unix socket beside the store, for commands that change a store this process owns.
///
/// It has no tokens: only the user who runs the server can open it, and may do everything.
package struct ConsoleSocket: Service {
    /// All connections are from one user, so a bound per address would not help.
    private static var limits: ConsoleLimits {
        var limits = ConsoleLimits()
        limits.connections = 64
        // It stops after the console; its clients are commands on this machine.
        limits.stopDeadline = .milliseconds(100)
        return limits
    }

    private let routes: [any ConsoleRoutes]
    private let gate: ConsoleGate
    private let path: String
    private let logger: Logger
    private let metricsFactory: any MetricsFactory

    /// Where the owner of a store listens.
    ///
    /// - Parameter store: The store's file, with links resolved.
    /// - Returns: The path beside it.
    package static func path(besideStore store: String) -> String {
        store + "-socket"
    }

    /// Checks that a server can make its socket beside a store, which may not exist yet.
    ///
    /// - Parameter store: The store's file, with links resolved.
    /// - Throws: An error with a code if something else is there.
    package static func check(besideStore store: String) throws {
        try SocketFile.check(path(besideStore: store))
    }

    /// Makes the service; the store's lease must be held while it runs.
    ///
    /// - Parameters:
    ///   - routes: The routes it serves.
    ///   - store: The store's file, with links resolved.
    ///   - logger: Logs each request, at debug, and problems.
    ///   - metricsFactory: Makes the counters.
    package init(
        routes: [any ConsoleRoutes],
        store: String,
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.routes = routes
        path = Self.path(besideStore: store)
        self.logger = logger
        self.metricsFactory = metricsFactory
        gate = ConsoleGate(
            access: nil, trustedProxies: .none, metrics: ConsoleMetrics(factory: metricsFactory), logger: logger)
    }

    /// Serves until a graceful shutdown; if the socket cannot be made, the server runs without it.
    package func run() async throws {
        do {
            try await serve()
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.error(
                "commands cannot reach this server: quarantine requeue, recount --repair and others will not work",
                error: error as? SocketError ?? SocketError(binding: error, path),
                metadata: ["socket": "\(path)"])
            try await gracefulShutdown()
        }
    }

    private func serve() async throws {
        let file = try SocketFile(path)
        let published = Mutex<SocketFile.Identity?>(nil)
        defer { file.remove(published.withLock { $0 }) }
        try await Console.serve(
            routes, gate, on: .unixDomainSocket(path: file.binding.text), limits: Self.limits,
            metricsFactory: metricsFactory
        ) { [logger, path] _ in
            do {
                let identity = try file.publish()
                published.withLock { $0 = identity }
                logger.info("listening for commands", metadata: ["socket": "\(path)"])
            } catch {
                logger.error("commands cannot reach this server", error: error, metadata: ["socket": "\(path)"])
            }
        }
    }
}
