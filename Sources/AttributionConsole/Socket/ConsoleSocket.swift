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
                metadata: ["socket": "\(path)", "error": "\(error)"])
            try await gracefulShutdown()
        }
    }

    private func serve() async throws {
        let file = try SocketFile(path)
        let published = Mutex<SocketFile.Identity?>(nil)
        defer { file.remove(published.withLock { $0 }) }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        try await Console.serve(
            routes, gate, on: .unixDomainSocket(path: file.binding.text), limits: Self.limits, logger: quiet,
            metricsFactory: metricsFactory
        ) { [logger, path] _ in
            do {
                let identity = try file.publish()
                published.withLock { $0 = identity }
                logger.info("listening for commands", metadata: ["socket": "\(path)"])
            } catch {
                logger.error("commands cannot reach this server", metadata: ["socket": "\(path)", "error": "\(error)"])
            }
        }
    }
}
