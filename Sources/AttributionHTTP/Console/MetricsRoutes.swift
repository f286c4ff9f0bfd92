import Hummingbird

/// What was counted and measured, for Prometheus.
public struct MetricsRoutes: ConsoleRoutes {
    private let metrics: PrometheusMetrics

    /// Makes the routes.
    ///
    /// - Parameter metrics: Where everything is counted.
    public init(_ metrics: PrometheusMetrics) {
        self.metrics = metrics
    }

    /// `/metrics`.
    public var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.metrics) { _, _ in
                .text(.ok, "text/plain; version=0.0.4; charset=utf-8", metrics.text)
            }
        ]
    }
}
