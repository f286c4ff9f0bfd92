package import AttributionStore
import CodedErrors
import Hummingbird

/// Liveness and readiness.
package struct HealthRoutes: ConsoleRoutes {
    private let readiness: @Sendable () -> StoreHealth

    /// Makes the routes.
    ///
    /// - Parameter readiness: Whether postbacks can be recorded now. Called for each request of `/readyz`, so it must not
    ///   block.
    package init(readiness: @escaping @Sendable () -> StoreHealth) {
        self.readiness = readiness
    }

    /// `/healthz` and `/readyz`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.health) { _, _ in .text(.ok, "text/plain; charset=utf-8", "ok\n") },
            ConsoleEndpoint(.readiness) { _, _ in
                let health = readiness()
                return health.reason.map { .refusing(Refusal(.notReady, $0, hint: health.hint)) }
                    ?? .text(.ok, "text/plain; charset=utf-8", "ready\n")
            },
        ]
    }
}
