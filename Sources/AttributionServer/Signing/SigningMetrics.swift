import AttributionSigning
import Metrics

/// The counters of one event loop that signs, created when first used.
///
/// - `skan_signatures_total{network,key}`: signatures that were verified and answered, by the network as registered and
///   the first digits of the key's fingerprint.
/// - `skan_signing_faults_total`: signatures that did not verify, or could not be made, and were discarded.
struct SigningMetrics {
    private let factory: any MetricsFactory
    /// The counters of one key list, by the index of the use, so that none is looked up by its labels.
    private var signatures: [Counter?] = []
    /// The key list; nil before the first signature.
    private var generation: Int?
    private let faults: Counter

    init(factory: any MetricsFactory) {
        self.factory = factory
        faults = Counter(label: "skan_signing_faults_total", dimensions: [], factory: factory)
    }

    /// Counts a signature.
    mutating func countSignature(_ index: Int, of keys: CurrentSigner.Keys) {
        if generation != keys.generation {
            generation = keys.generation
            signatures = Array(repeating: nil, count: keys.signer.uses.count)
        }
        let counter = signatures[index] ?? makeCounter(of: keys.signer.uses[index])
        signatures[index] = counter
        counter.increment()
    }

    private func makeCounter(of use: NetworkSigner.KeyUse) -> Counter {
        Counter(
            label: "skan_signatures_total", dimensions: [("network", use.network), ("key", use.key)], factory: factory)
    }

    /// Counts a signature that was discarded.
    func countFault() {
        faults.increment()
    }
}
