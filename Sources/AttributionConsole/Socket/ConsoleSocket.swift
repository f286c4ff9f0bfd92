import AttributionListener
import Hummingbird
import HummingbirdCore
package import Logging
package import Metrics
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The console's routes on a Unix socket beside the store, for the commands that change a store which this process owns.
///
/// It has no tokens: who may open the file, and only the user whose process made it may, may do everything.
package struct ConsoleSocket: Service {
    private static let connections = 64

    private let routes: [any ConsoleRoutes]
    private let gate: ConsoleGate
    private let path: String
    private let logger: Logger

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
    ///   - routes: Everything it answers.
    ///   - store: The store's file, with links resolved.
    ///   - logger: Takes a line for each request, at debug, and what goes wrong.
    ///   - metricsFactory: Where requests are counted.
    package init(
        routes: [any ConsoleRoutes],
        store: String,
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.routes = routes
        path = Self.path(besideStore: store)
        self.logger = logger
        gate = ConsoleGate(
            access: nil, trustedProxies: .none, metrics: ConsoleMetrics(factory: metricsFactory), logger: logger)
    }

    /// Serves until a graceful shutdown; where no socket can be made, recording goes on without it.
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
        let application = Application(
            router: Console.router(routes, gate),
            server: .http1(configuration: Console.channelConfiguration),
            configuration: .init(
                address: .unixDomainSocket(path: file.binding.text),
                serverName: "skan",
                availableConnectionsDelegate: MaximumAvailableConnections(Self.connections, logger: quiet)
            ),
            onServerRunning: { [logger, path] _ in
                do {
                    let identity = try file.publish()
                    published.withLock { $0 = identity }
                    logger.info("listening for commands", metadata: ["socket": "\(path)"])
                } catch {
                    logger.error(
                        "commands cannot reach this server", metadata: ["socket": "\(path)", "error": "\(error)"])
                }
            },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton.any()),
            logger: quiet
        )
        try await application.run()
    }
}
