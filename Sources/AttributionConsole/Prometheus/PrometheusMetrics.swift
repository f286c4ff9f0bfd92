package import Metrics
import Synchronization

/// Counts and measures for a Prometheus server to read, in its text format 0.0.4.
///
/// Counters are counters, recorders that aggregate and timers are histograms (timers in seconds), other recorders and
/// meters are gauges. The same name and labels are the same series, wherever it was made. A metric that is not
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

    /// Makes a system without series.
    ///
    /// - Parameter families: The metrics it shows.
    package init(_ families: [PrometheusFamily] = PrometheusFamily.all) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The current values of everything, ordered by name and labels.
    ///
    /// - Parameter collected: Samples of declared counters and gauges, read for this answer.
    /// - Returns: The text of the answer.
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

    /// The sums of a counter's series by the value of a label.
    ///
    /// - Parameters:
    ///   - name: The counter.
    ///   - label: The label; series without it are left out.
    /// - Returns: The sums.
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

    /// Makes a counter, or finds it.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label, dimensions) { PrometheusCounter() }
    }

    /// Makes a histogram or a gauge, or finds it.
    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else {
            return series(.gauge, label, dimensions) { PrometheusGauge() }
        }
        return series(.histogram, label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.sizes) }
    }

    /// Makes a histogram of seconds, or finds it.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
    }

    /// Does nothing: Prometheus would take the end of a series for a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}

    /// As for counters.
    package func destroyRecorder(_ handler: any RecorderHandler) {}

    /// As for counters.
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Series: PrometheusSeries>(
        _ kind: PrometheusFamily.Kind,
        _ label: String,
        _ dimensions: [(String, String)],
        make: () -> Series
    ) -> Series {
        let name = PrometheusText.name(label)
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
