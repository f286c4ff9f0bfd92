import Hummingbird

/// What was counted and measured, for Prometheus.
package struct MetricsRoutes: ConsoleRoutes {
    private let metrics: PrometheusMetrics
    private let collectors: [PrometheusCollector]

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - metrics: Where everything is counted.
    ///   - collectors: Read what is not counted but is as it is, for each answer anew.
    package init(_ metrics: PrometheusMetrics, collectors: [PrometheusCollector] = []) {
        self.metrics = metrics
        self.collectors = collectors
    }

    /// `/metrics`.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.metrics) { _, _ in
                .text(.ok, "text/plain; version=0.0.4; charset=utf-8", metrics.text(with: collectors.flatMap { $0() }))
            }
        ]
    }
}
