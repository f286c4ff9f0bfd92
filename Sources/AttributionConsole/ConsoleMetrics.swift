import Metrics

/// The times that requests take: `skan_console_request_seconds{route}`.
///
/// Requests are counted by the listener.
struct ConsoleMetrics: Sendable {
    private let durations: [ConsoleRoute: Timer]

    /// Makes the timers.
    init(factory: any MetricsFactory) {
        let routes = ConsoleRoute.allCases.map { route in
            let label = [("route", route.definition.path)]
            return (route, Timer(label: "skan_console_request_seconds", dimensions: label, factory: factory))
        }
        durations = Dictionary(uniqueKeysWithValues: routes)
    }

    /// Notes how long an answer took.
    func note(_ duration: Duration, of route: ConsoleRoute) {
        durations[route]?.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }
}
