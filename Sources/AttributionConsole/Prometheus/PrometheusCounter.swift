import Metrics
import Synchronization

/// A number that only grows, except when it is reset.
final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }

    /// The number now.
    var count: Int64 {
        value.load(ordering: .relaxed)
    }

    func write(name: String, labels: String, to output: inout String) {
        output.appendSample(name, labels, String(count))
    }
}
