import Attribution
import AttributionListener
package import AttributionStore
import CAPIDescription

package struct HealthRoutes: ConsoleRoutes {
    private let readiness: @Sendable () -> StoreHealth
    private let remarks: @Sendable () -> [String]

    /// Makes the routes.
    ///
    /// Both are called for each request of `/readyz`, so they must not block.
    package init(
        readiness: @escaping @Sendable () -> StoreHealth, remarks: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.readiness = readiness
        self.remarks = remarks
    }

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

    package init(_ metrics: PrometheusMetrics, collectors: [PrometheusCollector] = []) {
        self.metrics = metrics
        self.collectors = collectors
    }

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
    package init() {}

    package var endpoints: [ConsoleEndpoint] {
        // RFC 9512.
        var answer = IngressAnswer(status: 200, body: APIDescription.yaml, mediaType: "application/yaml")
        answer.set("Cache-Control", "no-store")
        return [ConsoleEndpoint(.apiDescription) { [answer] _, _ in answer }]
    }
}

/// The description of everything the server answers over HTTP, OpenAPI 3.1.
///
/// - SeeAlso: [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)
package enum APIDescription {
    package static var yaml: [UInt8] {
        Array(UnsafeBufferPointer(start: openapi_yaml(), count: openapi_yaml_size()))
    }
}
