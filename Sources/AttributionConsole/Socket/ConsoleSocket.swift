import AttributionListener
package import Logging
package import Metrics
import ServiceLifecycle

/// The console's routes on a Unix socket beside the store, for commands that change a store this process owns.
///
/// It has no tokens: only the user who runs the server can open it, and may do everything.
package struct ConsoleSocket: Service {
    private let console: Console
    private let path: String
    private let logger: Logger

    /// Where the owner of a store listens, whose path has its links resolved.
    package static func path(besideStore store: String) -> String {
        store + "-socket"
    }

    /// Checks that a server can make its socket beside a store, which may not exist yet.
    ///
    /// - Throws: An error with a code if something else is there.
    package static func check(besideStore store: String) throws {
        try SocketFile.check(path(besideStore: store))
    }

    /// Makes the service; the store's lease must be held while it runs.
    package init(
        routes: [any ConsoleRoutes],
        store: String,
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        let path = Self.path(besideStore: store)
        self.path = path
        self.logger = logger
        console = Console(
            routes: routes, access: nil, address: .socket(path: path, isLeased: true), limits: .consoleSocket,
            logger: logger,
            metricsFactory: metricsFactory
        ) { [logger] _ in
            logger.info("listening for commands", metadata: ["socket": "\(path)"])
        }
    }

    /// Serves until a graceful shutdown; if the socket cannot be made, the server runs without it.
    package func run() async throws {
        do {
            try await console.run()
        } catch let error as SocketError {
            logger.error(
                "commands cannot reach this server: quarantine requeue, recount --repair and others will not work",
                error: error, metadata: ["socket": "\(path)"])
            try await gracefulShutdown()
        }
    }
}
