package import AttributionConsole
import Foundation
package import Logging
import ServiceLifecycle
package import UnixSignals

/// The listeners over one store: the public one, which answers 200 after the commit, the one that signs, and the console.
///
/// Without a store it signs and nothing else.
package struct Server: Sendable {
    /// A listener accepts connections at an address.
    package enum Event: Sendable {
        case listening(ListenAddress)
        case signingListening(SigningAddress)
        case consoleListening(ListenAddress)
    }

    private let parts: ServerParts
    private let services: [any Service]

    /// How long a stop may take.
    package static let stopBound = Duration.seconds(5)

    /// Loads keys, tokens and certificate, tries all addresses, and opens the store.
    ///
    /// The store comes last: a server that cannot start leaves none behind, and changes none.
    ///
    /// - Throws: ``ServerConfiguration/Problem``, or the problem of a file or an address it needs.
    package init(
        _ configuration: ServerConfiguration,
        metrics: PrometheusMetrics,
        logger: Logger,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws {
        let parts = try ServerParts(configuration, metrics: metrics, logger: logger, onEvent: onEvent)
        let routes = parts.makeRoutes()
        // Stopped in reverse order, one after another: no more requests, then no more batches, then the file is closed.
        let services: [(any Service)?] = [
            parts.externalSigners,
            parts.recording?.ingestor,
            parts.recording?.storage.webAds?.responder,
            parts.recording?.forwarder,
            parts.makeConsoleSocket(routes),
            parts.makeConsole(routes),
            parts.makePublicListener(),
            parts.makeSigningListener(),
            parts.makeReload(),
            parts.makeHeartbeat(),
        ]
        self.parts = parts
        self.services = services.compactMap(\.self)
    }

    /// Serves until a graceful shutdown.
    ///
    /// - Throws: The error of a service that failed, which stops the others too.
    package func run(stoppingOn signals: [UnixSignal] = []) async throws {
        // The error of a service is thrown here; the library's lines about it are not meant for an operator.
        let silent = Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: signals, logger: silent)
        configuration.maximumGracefulShutdownDuration = Self.stopBound
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Writes what was counted and closes the store, after ``run(stoppingOn:)``.
    ///
    /// - Returns: Whether the store was closed; false when it must not be touched, not even to close it: its files were
    ///   removed or have another owner, and the process has to exit at once.
    /// - Throws: An error of SQLite.
    package func close() throws -> Bool {
        parts.access?.saveUses(at: nil)
        if parts.counts?.write() == false {
            parts.logger.error("what was signed since the last write is not counted, and is lost")
        }
        return try parts.recording?.storage.close(parts.logger) ?? true
    }

    /// The compiler's version, as far as a program can tell.
    package static var swiftVersion: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
