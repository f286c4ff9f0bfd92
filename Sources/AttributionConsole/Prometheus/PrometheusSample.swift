/// A value read when the metrics are requested.
package struct PrometheusSample: Sendable {
    /// The name of a counter or a gauge.
    package let name: String
    /// The value.
    package let value: Double
    /// The labels with their values.
    package let labels: [(String, String)]

    /// Makes a sample.
    package init(_ name: String, _ value: Double, labels: [(String, String)] = []) {
        self.name = name
        self.value = value
        self.labels = labels
    }
}

/// Reads samples each time the metrics are requested.
///
/// It runs on a thread of Swift's pool, so it must not block.
package typealias PrometheusCollector = @Sendable () -> [PrometheusSample]
