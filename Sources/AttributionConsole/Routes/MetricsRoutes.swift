import Hummingbird

/// What was counted and measured, for Prometheus.
package struct MetricsRoutes: ConsoleRoutes {
    private let metrics: PrometheusMetrics

    /// Makes the routes.
    ///
    /// - Parameter metrics: Where everything is counted.
    package init(_ metrics: PrometheusMetrics) {
        self.metrics = metrics
    }

    /// `/metrics`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.metrics) { _, _ in
                .text(.ok, "text/plain; version=0.0.4; charset=utf-8", metrics.text)
            }
        ]
    }
}
