import Attribution
import AttributionListener
package import AttributionStore

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

/// The metrics, for Prometheus.
package struct MetricsRoutes: ConsoleRoutes {
    private let metrics: PrometheusMetrics
    private let collectors: [PrometheusCollector]

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - metrics: The counters, gauges and histograms.
    ///   - collectors: Read further samples for each answer.
    package init(_ metrics: PrometheusMetrics, collectors: [PrometheusCollector] = []) {
        self.metrics = metrics
        self.collectors = collectors
    }

    /// `/metrics`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.metrics) { _, _ in
                .text("text/plain; version=0.0.4; charset=utf-8", metrics.text(with: collectors.flatMap { $0() }))
            }
        ]
    }
}

/// The OpenAPI description of the server's interfaces.
package struct APIDescriptionRoutes: ConsoleRoutes {
    /// Makes the routes.
    package init() {}

    /// `/openapi.yaml`.
    package var endpoints: [ConsoleEndpoint] {
        // RFC 9512.
        var answer = IngressAnswer(status: 200, body: Array(APIDescription.yaml), mediaType: "application/yaml")
        answer.set("Cache-Control", "no-store")
        return [ConsoleEndpoint(.apiDescription) { [answer] _, _ in answer }]
    }
}
