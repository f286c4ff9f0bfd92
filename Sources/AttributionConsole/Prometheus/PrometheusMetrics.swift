package import Metrics
import Synchronization

/// Counts and measures for a Prometheus server to read, in its text format 0.0.4.
///
/// Counters are counters, recorders that aggregate and timers are histograms (timers in seconds), other recorders and
/// meters are gauges. The same name and labels are the same series, wherever it was asked for.
///
/// - SeeAlso: [Exposition formats](https://prometheus.io/docs/instrumenting/exposition_formats/)
package final class PrometheusMetrics: MetricsFactory, Sendable {
    private enum Kind: String {
        case counter, gauge, histogram
    }

    private struct Family {
        let kind: Kind
        var series: [String: any PrometheusSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// Makes a system without series.
    package init() {}

    /// Everything as it is now, ordered by name and labels.
    package var text: String {
        let families = families.withLock { $0 }
        var output = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            output += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name: name, labels: labels, to: &output)
            }
        }
        return output
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

    /// A series outlives whoever counted in it: Prometheus would take its end for a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}

    /// As for counters.
    package func destroyRecorder(_ handler: any RecorderHandler) {}

    /// As for counters.
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Series: PrometheusSeries>(
        _ kind: Kind,
        _ label: String,
        _ dimensions: [(String, String)],
        make: () -> Series
    ) -> Series {
        let name = Self.name(label, allowing: ":")
        let labels = dimensions.map { "\(Self.name($0.0, allowing: "_"))=\"\(Self.escaped($0.1))\"" }
            .joined(separator: ",")
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            guard let known = family.series[labels] else {
                let series = make()
                // Two kinds under one name would spoil the whole answer: the first one stays, the other is not shown.
                if family.kind == kind {
                    family.series[labels] = series
                    families[name] = family
                }
                return series
            }
            return known as? Series ?? make()
        }
    }

    /// A name with every character Prometheus does not allow replaced by an underscore.
    private static func name(_ text: String, allowing other: Unicode.Scalar) -> String {
        var name = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", other: name.unicodeScalars.append(scalar)
            case "0"..."9" where index > 0: name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    /// A label's value with backslash, quote and line feed escaped.
    private static func escaped(_ text: String) -> String {
        var value = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": value += "\\\\"
            case "\"": value += "\\\""
            case "\n": value += "\\n"
            default: value.unicodeScalars.append(scalar)
            }
        }
        return value
    }
}
