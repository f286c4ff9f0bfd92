public import AttributionReports
import Hummingbird
public import Logging

/// Tells whoever runs the server whether it lives, and whether it can work.
public struct HealthRoutes: ConsoleRoutes {
    private let reporter: Reporter
    private let logger: Logger

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - reporter: Knows whether the store answers.
    ///   - logger: Takes why it does not.
    public init(reporter: Reporter, logger: Logger) {
        self.reporter = reporter
        self.logger = logger
    }

    /// `/healthz` and `/readyz`.
    public var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.health) { _, _ in .text(.ok, "text/plain; charset=utf-8", "ok\n") },
            ConsoleEndpoint(.readiness) { _, _ in await readiness() },
        ]
    }

    private func readiness() async -> Response {
        do {
            try await reporter.checkStore()
            return .text(.ok, "text/plain; charset=utf-8", "ready\n")
        } catch {
            logger.warning("not ready", metadata: ["error": "\(error)"])
            return .text(.serviceUnavailable, "text/plain; charset=utf-8", "the store does not answer\n")
        }
    }
}
