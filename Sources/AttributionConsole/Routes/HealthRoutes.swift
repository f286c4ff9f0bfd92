import AttributionListener
package import AttributionStore
import CodedErrors

/// Liveness and readiness.
package struct HealthRoutes: ConsoleRoutes {
    private let readiness: @Sendable () -> StoreHealth
    private let remarks: @Sendable () -> [String]

    /// Makes the routes.
    ///
    /// Both are called for each request of `/readyz`, so they must not block.
    ///
    /// - Parameters:
    ///   - readiness: Whether postbacks can be recorded now.
    ///   - remarks: What does not work although they can, each on a line of the answer.
    package init(
        readiness: @escaping @Sendable () -> StoreHealth, remarks: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.readiness = readiness
        self.remarks = remarks
    }

    /// `/healthz` and `/readyz`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.health) { _, _ in .text("text/plain; charset=utf-8", "ok\n") },
            ConsoleEndpoint(.readiness) { _, _ in
                let health = readiness()
                return health.reason.map { .refusing(Refusal(.notReady, $0, hint: health.hint)) }
                    ?? .text(
                        "text/plain; charset=utf-8", (["ready"] + remarks()).map { $0 + "\n" }.joined())
            },
        ]
    }
}
