package import Metrics
import Synchronization

/// Counts and measures for a Prometheus server to read, in its text format 0.0.4.
///
/// Counters are counters and timers are histograms of seconds; gauges are read when they are asked for, so recorders
/// and meters are not shown. The same name and labels are the same series, wherever it was made. A metric that is not
/// declared, or is declared as another kind, is counted but not shown, because it would have no help text.
///
/// - SeeAlso: [Exposition formats](https://prometheus.io/docs/instrumenting/exposition_formats/)
package final class PrometheusMetrics: MetricsFactory, Sendable {
    private let families: [String: PrometheusFamily]
    /// The series by name and then by labels.
    private let series = Mutex<[String: [String: Entry]]>([:])

    private struct Entry {
        let dimensions: [(String, String)]
        let series: any PrometheusSeries
    }

    package init(_ families: [PrometheusFamily] = PrometheusFamily.all) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The current values of everything, ordered by name and labels.
    package func text(with collected: [PrometheusSample] = []) -> String {
        let series = series.withLock { $0 }
        let collected = Dictionary(grouping: collected, by: \.name)
        var output = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            // A duplicate series would invalidate the whole answer.
            var samples: [String: String] = [:]
            for sample in collected[name] ?? [] where family.kind != .histogram {
                let labels = PrometheusText.labels(sample.labels)
                var line = ""
                line.appendSample(name, labels, PrometheusText.number(sample.value))
                samples[labels] = line
            }
            for (labels, entry) in series[name] ?? [:] {
                var lines = ""
                entry.series.write(name: name, labels: labels, to: &lines)
                samples[labels] = lines
            }
            if !samples.isEmpty {
                output += family.header
                output += samples.sorted { $0.key < $1.key }.map(\.value).joined()
            }
        }
        return output
    }

    /// The sums of a counter's series by the value of a label; series without it are left out.
    package func counts(of name: String, by label: String) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for entry in series.withLock({ $0[name] ?? [:] }).values {
            guard let value = entry.dimensions.first(where: { $0.0 == label })?.1,
                let counter = entry.series as? PrometheusCounter
            else {
                continue
            }
            counts[value, default: 0] += counter.count
        }
        return counts
    }

    // MARK: Making

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions) { PrometheusCounter() }
    }

    /// Makes a recorder that does nothing.
    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, label, dimensions) { PrometheusHistogram() }
    }

    /// Does nothing: Prometheus would take the end of a series for a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}

    package func destroyRecorder(_ handler: any RecorderHandler) {}

    package func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Series: PrometheusSeries>(
        _ kind: PrometheusFamily.Kind,
        _ name: String,
        _ dimensions: [(String, String)],
        make: () -> Series
    ) -> Series {
        guard families[name]?.kind == kind else {
            return make()
        }
        let labels = PrometheusText.labels(dimensions)
        return self.series.withLock { series in
            guard let known = series[name]?[labels] else {
                let made = make()
                series[name, default: [:]][labels] = Entry(dimensions: dimensions, series: made)
                return made
            }
            return known.series as? Series ?? make()
        }
    }
}

/// A number that only grows, except when it is reset.
final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }

    var count: Int64 {
        value.load(ordering: .relaxed)
    }

    func write(name: String, labels: String, to output: inout String) {
        output.appendSample(name, labels, String(count))
    }
}

/// Counts times by upper bound.
final class PrometheusHistogram: TimerHandler, PrometheusSeries {
    /// The upper bounds in seconds, in ascending order.
    private static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        /// The number of times up to the bound at an index and above the one before; the last is for those above all.
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        var sum: Double = 0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let index = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += seconds
        }
    }

    func write(name: String, labels: String, to output: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let prefix = labels.isEmpty ? "" : labels + ","
        var below: UInt64 = 0
        for (count, bound) in zip(counts, Self.bounds.map { "\($0)" } + ["+Inf"]) {
            below += count
            output.appendSample(name + "_bucket", prefix + "le=\"\(bound)\"", String(below))
        }
        output.appendSample(name + "_sum", labels, "\(sum)")
        output.appendSample(name + "_count", labels, String(below))
    }
}

/// A value read when the metrics are requested.
package struct PrometheusSample: Sendable {
    /// The name of a counter or a gauge.
    package let name: String
    package let value: Double
    /// The labels with their values.
    package let labels: [(String, String)]

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

/// One line, or one histogram, of the exposition.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Appends the samples as they are now.
    func write(name: String, labels: String, to output: inout String)
}

extension String {
    mutating func appendSample(_ name: String, _ labels: String, _ value: String) {
        self += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}
