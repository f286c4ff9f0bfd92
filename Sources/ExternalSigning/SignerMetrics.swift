import AttributionSigning
import Metrics
import Synchronization

/// The metrics of external signers, created when first used.
///
/// - `skan_external_signatures_total{key,outcome}`: requested signatures, by the first digits of the key's fingerprint and
///   what came of them.
/// - `skan_external_signature_seconds{key}`: the time of those that were made.
final class SignerMetrics: Sendable {
    private struct Label: Hashable {
        let key: String
        let outcome: String
    }

    private struct State {
        var counters: [Label: Counter] = [:]
        var timers: [String: Timer] = [:]
    }

    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts what came of a request.
    func count(_ result: Result<[UInt8], ExternalSignerError>, of key: ExternalKey, after time: Duration) {
        let outcome = if case .failure(let error) = result { error.outcome } else { "signed" }
        let label = Label(key: key.name, outcome: outcome)
        let (counter, timer) = state.withLock { state in
            let counter =
                state.counters[label]
                ?? Counter(
                    label: "skan_external_signatures_total",
                    dimensions: [("key", label.key), ("outcome", label.outcome)], factory: factory)
            state.counters[label] = counter
            let timer =
                state.timers[label.key]
                ?? Timer(
                    label: "skan_external_signature_seconds", dimensions: [("key", label.key)], factory: factory)
            state.timers[label.key] = timer
            return (counter, timer)
        }
        counter.increment()
        if outcome == "signed" { timer.record(duration: time) }
    }
}
