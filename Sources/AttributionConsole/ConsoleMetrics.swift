import Metrics
import Synchronization

/// The counters of the console, created when first used.
///
/// Labels are routes, status codes and names of token holders, never anything an unknown client sent.
/// - `skan_console_requests_total{route,status,caller}`: answered requests; caller is empty without a valid token.
/// - `skan_console_request_seconds{route}`: the time from the request's head to its answer.
final class ConsoleMetrics: Sendable {
    private struct RequestKey: Hashable {
        let route: ConsoleRoute
        let status: Int
        let caller: String
    }

    private let factory: any MetricsFactory
    private let requests = Mutex<[RequestKey: Counter]>([:])
    private let durations: [ConsoleRoute: Timer]

    /// Makes the timers; counters are made when first used.
    init(factory: any MetricsFactory) {
        self.factory = factory
        let routes = ConsoleRoute.allCases.map { route in
            let label = [("route", route.definition.path)]
            return (route, Timer(label: "skan_console_request_seconds", dimensions: label, factory: factory))
        }
        durations = Dictionary(uniqueKeysWithValues: routes)
    }

    /// Counts an answered request.
    func count(_ route: ConsoleRoute, status: Int, caller: String?, duration: Duration) {
        let key = RequestKey(route: route, status: status, caller: caller ?? "")
        let counter = requests.withLock { requests in
            if let counter = requests[key] { return counter }
            let counter = Counter(
                label: "skan_console_requests_total",
                dimensions: [
                    ("route", route.definition.path), ("status", String(status)), ("caller", key.caller),
                ],
                factory: factory
            )
            requests[key] = counter
            return counter
        }
        counter.increment()
        durations[route]?.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }
}
