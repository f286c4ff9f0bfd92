package import AttributionAccess
package import AttributionListener
import Hummingbird
import HummingbirdCore
package import Logging
package import Metrics
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The private listener, which serves health, reports, metrics and other groups of routes.
package struct Console: Service {
    private let routes: [any ConsoleRoutes]
    private let gate: ConsoleGate
    private let host: String
    private let port: Int
    private let tls: IngressTLS?
    private let limits: ConsoleLimits
    private let metricsFactory: any MetricsFactory
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Makes a console.
    ///
    /// - Parameters:
    ///   - routes: The routes it serves.
    ///   - access: Decides who may do what; without it, everyone who can reach the console may do everything.
    ///   - sessions: The sessions of those who logged in to its pages; nil for a console without pages.
    ///   - host: The address; a loopback one when there is no access control.
    ///   - port: The port; 0 for a free one.
    ///   - tls: The TLS identity; nil for plain HTTP.
    ///   - trustedProxies: The proxies that are trusted to name their clients.
    ///   - limits: The bounds of its connections.
    ///   - logger: Logs each request, at debug, and problems.
    ///   - metricsFactory: Makes the counters.
    ///   - onListening: Called with the port as soon as connections are accepted.
    package init(
        routes: [any ConsoleRoutes],
        access: AccessControl?,
        sessions: ConsoleSessions? = nil,
        host: String,
        port: Int,
        tls: IngressTLS? = nil,
        trustedProxies: TrustedProxies = .none,
        limits: ConsoleLimits = ConsoleLimits(),
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.routes = routes
        self.host = host
        self.port = port
        self.tls = tls
        self.limits = limits
        self.metricsFactory = metricsFactory
        self.onListening = onListening
        gate = ConsoleGate(
            access: access,
            sessions: sessions,
            trustedProxies: trustedProxies,
            metrics: ConsoleMetrics(factory: metricsFactory),
            logger: logger
        )
    }

    /// Serves until a graceful shutdown.
    package func run() async throws {
        do {
            try await Self.serve(
                routes, gate, on: .hostname(host, port: port), tls: tls, limits: limits,
                metricsFactory: metricsFactory
            ) { channel in
                await onListening(channel.localAddress?.port ?? port)
            }
        } catch let error as IOError {
            throw IngressError(binding: error, host: host, port: port)
        } catch let error as SocketAddressError.UnknownHost {
            throw IngressError(binding: error, host: host, port: port)
        }
    }

    /// Serves routes at an address until a graceful shutdown.
    static func serve(
        _ routes: [any ConsoleRoutes],
        _ gate: ConsoleGate,
        on address: BindAddress,
        tls: IngressTLS? = nil,
        limits: ConsoleLimits,
        metricsFactory: any MetricsFactory,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void
    ) async throws {
        // Handlers run on Swift's pool, and a second loop would compete with it: signing over two loops is a quarter
        // slower on two cores.
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        try await ConsoleConnections.run(
            on: eventLoop, limits: limits, routes: routes.flatMap(\.endpoints).map(\.route), gate: gate,
            metricsFactory: metricsFactory
        ) { connections in
            let application = Application(
                router: router(routes, gate),
                server: HTTPServerBuilder { responder in
                    ConsoleChannel(connections, limits: limits, tls: tls, responder: responder)
                },
                // A new connection must not wait to be accepted, because it may be a probe.
                configuration: .init(address: address, serverName: "skan", backlog: 1_024),
                onServerRunning: onServerRunning,
                eventLoopGroupProvider: .shared(eventLoop),
                // What concerns an operator is logged or thrown here; the library's lines are not meant for one.
                logger: Logger(label: "hummingbird") { _ in SwiftLogNoOpLogHandler() }
            )
            try await application.run()
        }
    }

    /// A router for some routes.
    static func router(_ routes: [any ConsoleRoutes], _ gate: ConsoleGate) -> Router<ConsoleContext> {
        let router = Router(context: ConsoleContext.self)
        for endpoint in routes.flatMap(\.endpoints) {
            let definition = endpoint.route.definition
            router.on(RouterPath(definition.path), method: definition.method) { request, context in
                try await gate.answer(endpoint, request, context)
            }
            if endpoint.route.answersHead {
                router.on(RouterPath(definition.path), method: .head) { request, context in
                    try await gate.answer(endpoint, request, context).createHeadResponse()
                }
            }
        }
        // After the routes, so that these run only when no route matches.
        router.add(middleware: FaultyRequests())
        router.add(middleware: UnmatchedRequests(routes: routes.flatMap(\.endpoints).map(\.route)))
        return router
    }
}
