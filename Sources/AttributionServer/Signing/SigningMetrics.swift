import AttributionSigning
import Metrics

/// The counters of one event loop that signs, created when first used.
///
/// - `skan_signatures_total{network,key}`: signatures that were verified and answered, by the network as registered and
///   the first digits of the key's fingerprint.
/// - `skan_signing_faults_total`: signatures that did not verify, or could not be made, and were discarded.
struct SigningMetrics {
    private let factory: any MetricsFactory
    private var signatures: [NetworkSigner.KeyUse: Counter] = [:]
    private let faults: Counter

    init(factory: any MetricsFactory) {
        self.factory = factory
        faults = Counter(label: "skan_signing_faults_total", dimensions: [], factory: factory)
    }

    mutating func countSignature(_ use: NetworkSigner.KeyUse) {
        let counter =
            signatures[use]
            ?? Counter(
                label: "skan_signatures_total", dimensions: [("network", use.network), ("key", use.key)],
                factory: factory)
        signatures[use] = counter
        counter.increment()
    }

    /// Counts a signature that was discarded.
    func countFault() {
        faults.increment()
    }
}
