import CodedErrors
import Metrics

/// The counters of one event loop, created when first used.
///
/// Labels are matched routes, status codes and stable codes, never anything a client sent.
/// - `skan_ingress_requests_total{route,status}`: answered requests; route `none` for an unknown path or an unread
///   head, status `dropped` when the client was gone.
/// - `skan_ingress_refusals_total{reason}`: those the ingress answered itself.
/// - `skan_ingress_connections_total{outcome}`: `accepted`, `over-total-cap`, `over-address-cap`, `stopping`.
/// - `skan_ingress_disconnects_total{reason}`: connections cut off without an answer: `head-deadline`,
///   `idle-deadline`, `write-deadline`, `linger-bound`, `stop-deadline`.
struct IngressMetrics {
    private struct RequestKey: Hashable {
        let route: IngressRoute?
        let status: Int
    }

    private let factory: any MetricsFactory
    private var requests: [RequestKey: Counter] = [:]
    /// The counter used last: most requests end like the one before.
    private var latest: (key: RequestKey, counter: Counter)?
    private var others: [String: Counter] = [:]

    /// Makes counters in a metrics system.
    ///
    /// - Parameter factory: Where they are kept.
    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts an answered request; status 0 means the client was gone.
    mutating func countRequest(route: IngressRoute?, status: Int) {
        let key = RequestKey(route: route, status: status)
        if let latest, latest.key == key { return latest.counter.increment() }
        let counter = requests[key] ?? makeCounter(key)
        latest = (key, counter)
        counter.increment()
    }

    private mutating func makeCounter(_ key: RequestKey) -> Counter {
        let status = key.status == 0 ? "dropped" : String(key.status)
        let counter = Counter(
            label: "skan_ingress_requests_total",
            dimensions: [("route", key.route?.path ?? "none"), ("status", status)],
            factory: factory
        )
        requests[key] = counter
        return counter
    }

    mutating func countRefusal(_ code: ErrorCode) {
        count("skan_ingress_refusals_total", dimension: "reason", value: code.rawValue)
    }

    mutating func countConnection(_ admission: IngressAdmission) {
        count("skan_ingress_connections_total", dimension: "outcome", value: admission.rawValue)
    }

    mutating func countDisconnect(_ reason: ConnectionAction.Disconnect) {
        count("skan_ingress_disconnects_total", dimension: "reason", value: reason.rawValue)
    }

    private mutating func count(_ label: String, dimension: String, value: String) {
        let key = label + value
        if let counter = others[key] { return counter.increment() }
        let counter = Counter(label: label, dimensions: [(dimension, value)], factory: factory)
        others[key] = counter
        counter.increment()
    }
}
