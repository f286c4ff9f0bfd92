import AttributionListener

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
