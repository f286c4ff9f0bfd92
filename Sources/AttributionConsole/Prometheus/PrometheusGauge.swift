import Metrics
import Synchronization

/// A number that goes up and down.
final class PrometheusGauge: RecorderHandler, PrometheusSeries {
    private let bits = Atomic<UInt64>(0)

    func record(_ value: Int64) {
        record(Double(value))
    }

    func record(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    func write(name: String, labels: String, to output: inout String) {
        output.appendSample(name, labels, PrometheusText.number(Double(bitPattern: bits.load(ordering: .relaxed))))
    }
}
