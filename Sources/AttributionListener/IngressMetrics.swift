import Attribution
import Metrics

/// The names of a listener's counters.
package enum IngressMetricNames: String, Sendable {
    /// Those of the listener of postbacks.
    case postbacks = "ingress"
    /// Those of the listener of signing requests.
    case signing
    /// Those of the console.
    case console

    /// The name of the counter of some events.
    func counter(of events: String) -> String { "skan_\(rawValue)_\(events)_total" }
}

/// The counters of one event loop.
///
/// Labels are matched routes, status codes and stable codes, never anything a client sent.
/// - `requests_total{route,status}`: answered requests; route `none` for an unknown path or an unread head, status
///   `dropped` when the client was gone. Where tokens decide also `caller`, the holder of the token.
/// - `refusals_total{reason}`: those the listener answered itself.
/// - `connections_total{outcome}`: `accepted`, `reserved`, `over-total-cap`, `over-address-cap`, `stopping`.
/// - `disconnects_total{reason}`: connections cut off without an answer: `head-deadline`, `idle-deadline`,
///   `write-deadline`, `linger-bound`, `stop-deadline`, `proxy-header`.
struct IngressMetrics {
    private struct RequestKey: Hashable {
        let route: IngressRoute?
        let status: Int
        let caller: String?
    }

    private let names: IngressMetricNames
    private let hasCallers: Bool
    private let factory: any MetricsFactory
    private var requests: [RequestKey: Counter] = [:]
    /// The counter used last: most requests end like the one before.
    private var latest: (key: RequestKey, counter: Counter)?

    init(names: IngressMetricNames, hasCallers: Bool, factory: any MetricsFactory) {
        self.names = names
        self.hasCallers = hasCallers
        self.factory = factory
    }

    /// Counts an answered request; status 0 means the client was gone.
    mutating func countRequest(route: IngressRoute?, status: Int, caller: String? = nil) {
        let key = RequestKey(route: route, status: status, caller: caller)
        if let latest, latest.key == key { return latest.counter.increment() }
        let counter = requests[key] ?? makeCounter(key)
        latest = (key, counter)
        counter.increment()
    }

    private mutating func makeCounter(_ key: RequestKey) -> Counter {
        let status = key.status == 0 ? "dropped" : String(key.status)
        var dimensions = [("route", key.route?.path ?? "none"), ("status", status)]
        if hasCallers { dimensions.append(("caller", key.caller ?? "")) }
        let counter = Counter(label: names.counter(of: "requests"), dimensions: dimensions, factory: factory)
        requests[key] = counter
        return counter
    }

    func countRefusal(_ code: ErrorCode) {
        count("refusals", dimension: "reason", value: code.rawValue)
    }

    func countConnection(_ admission: IngressAdmission) {
        count("connections", dimension: "outcome", value: admission.rawValue)
    }

    func countDisconnect(_ reason: ConnectionAction.Disconnect) {
        count("disconnects", dimension: "reason", value: reason.rawValue)
    }

    private func count(_ events: String, dimension: String, value: String) {
        Counter(label: names.counter(of: events), dimensions: [(dimension, value)], factory: factory).increment()
    }
}
