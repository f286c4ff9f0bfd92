import CodedErrors
import Hummingbird

/// Liveness and readiness.
package struct HealthRoutes: ConsoleRoutes {
    private let readiness: @Sendable () -> String?

    /// Makes the routes.
    ///
    /// - Parameter readiness: Why nothing can be recorded now, as a message; nil while recording works. Called for each
    ///   request of `/readyz`, so it must not block.
    package init(readiness: @escaping @Sendable () -> String?) {
        self.readiness = readiness
    }

    /// `/healthz` and `/readyz`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.health) { _, _ in .text(.ok, "text/plain; charset=utf-8", "ok\n") },
            ConsoleEndpoint(.readiness) { _, _ in
                readiness().map { .refusing(Refusal(.notReady, $0)) }
                    ?? .text(.ok, "text/plain; charset=utf-8", "ready\n")
            },
        ]
    }
}
