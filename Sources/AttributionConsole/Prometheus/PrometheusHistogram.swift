import Metrics
import Synchronization

/// Counts values by upper bound.
final class PrometheusHistogram: RecorderHandler, TimerHandler, PrometheusSeries {
    /// For times, in seconds: from half a millisecond to ten seconds.
    static let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// For sizes and counts.
    static let sizes: [Double] = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576]

    private struct State {
        /// The number of values up to the bound at an index and above the one before; the last is for those above all.
        var counts: [UInt64]
        var sum: Double = 0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// Makes a histogram without values.
    ///
    /// - Parameter bounds: Upper bounds in ascending order.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    func record(_ value: Double) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) {
        record(Double(duration) / 1e9)
    }

    func write(name: String, labels: String, to output: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let prefix = labels.isEmpty ? "" : labels + ","
        var below: UInt64 = 0
        for (count, bound) in zip(counts, bounds.map { "\($0)" } + ["+Inf"]) {
            below += count
            output.appendSample(name + "_bucket", prefix + "le=\"\(bound)\"", String(below))
        }
        output.appendSample(name + "_sum", labels, "\(sum)")
        output.appendSample(name + "_count", labels, String(below))
    }
}
