import Attribution
package import AttributionListener
import FoundationEssentials
package import Logging
package import Metrics
import ServiceLifecycle

/// The private listener, which serves health, reports, metrics and other groups of routes.
package struct Console: Service {
    private let ingress: Ingress

    /// Makes a console, which needs a loopback address without access control; `onListening` gets the address.
    package init(
        routes: [any ConsoleRoutes],
        access: AccessControl?,
        sessions: ConsoleSessions? = nil,
        address: IngressAddress,
        tls: IngressTLS? = nil,
        trustedProxies: TrustedProxies = .none,
        limits: IngressLimits = .console,
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory,
        onListening: @escaping @Sendable (IngressAddress) -> Void = { _ in }
    ) {
        let gate = ConsoleGate(
            access: access, sessions: sessions, metrics: ConsoleMetrics(factory: metricsFactory), logger: logger)
        let endpoints = routes.flatMap(\.endpoints)
        ingress = Ingress(
            address: address,
            routes: Self.routes(endpoints.map(\.route), havePages: sessions != nil),
            limits: limits,
            tls: tls,
            trustedProxies: trustedProxies,
            logger: logger,
            // The gate logs requests with the holder of the token.
            accessLogLevel: .trace,
            metricNames: .console,
            metricsFactory: metricsFactory,
            now: { Date() },
            onListening: onListening,
            makeHandler: { _ in .task { await gate.answer(endpoints[$0.route.index], $0) } }
        )
    }

    /// Serves until a graceful shutdown.
    ///
    /// - Throws: ``AttributionListener/IngressError`` or ``AttributionListener/SocketError`` if it cannot listen.
    package func run() async throws {
        try await ingress.run()
    }

    private static func routes(_ routes: [ConsoleRoute], havePages: Bool) -> IngressRoutes {
        var routes = IngressRoutes(
            routes.map(\.ingressRoute),
            fields: ["accept", "authorization", "content-type", "cookie", "host", "origin", "sec-fetch-site"],
            keepsTargets: true,
            haveCallers: true
        ) { path in
            ["/v1/impressions", "/v1/openrtb/"].contains { path.hasPrefix($0) }
                ? "signing has a listener of its own: skan serve --signing HOST:PORT"
                : "/openapi.yaml lists the routes"
        }
        if havePages {
            routes.refusalPage = { .refusalPage($0, instead: IngressAnswer(refusing: $0)) }
        }
        return routes
    }
}

/// What the gate found out about a request.
package struct ConsoleContext: Sendable {
    /// What the request's token grants; nil on an open route, and when the console has no tokens.
    var caller: AccessGrant?
    /// The session that the request belongs to; nil for a request with a token, and on an open route.
    var session: SessionTable.Session?

    /// Refuses a request for a network that its token is not limited to.
    ///
    /// A limited token has to name its networks, because a request that names none applies to all. Every route with
    /// ``ConsoleRoute/namesNetworks`` calls this as soon as it has read the request, and those of reports
    /// ``authorized(_:)``, which adds the apps that the token is limited to.
    func authorize(_ networks: [String]) throws(AccessRefusal) {
        guard let caller, !caller.networks.isEmpty else { return }
        guard !networks.isEmpty, networks.allSatisfy({ caller.allows(network: $0) }) else {
            throw .outOfNetwork(allowed: caller.networks.map(\.text))
        }
    }
}

/// The times that requests take: `skan_console_request_seconds{route}`.
///
/// Requests are counted by the listener.
struct ConsoleMetrics: Sendable {
    private let durations: [ConsoleRoute: Timer]

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
