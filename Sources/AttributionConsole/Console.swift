package import AttributionAccess
package import AttributionListener
import Hummingbird
import HummingbirdCore
package import Logging
package import Metrics
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The private listener: health, reports, metrics, and what else is given to it as groups of routes.
package struct Console: Service {
    /// A request's head may have as much as the public listener allows.
    private static let headBytes = 16 * 1024
    private static let headFields = 64
    private static let idleTimeout = TimeAmount.seconds(60)

    private let routes: [any ConsoleRoutes]
    private let gate: ConsoleGate
    private let host: String
    private let port: Int
    private let tls: IngressTLS?
    private let connections: Int
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Makes a console.
    ///
    /// - Parameters:
    ///   - routes: Everything it answers.
    ///   - access: Decides who may do what; without it everybody who can reach the console may do everything.
    ///   - host: The address; a loopback one when there is no access control.
    ///   - port: The port; 0 for a free one.
    ///   - tls: The TLS identity; nil for plain HTTP.
    ///   - trustedProxies: The proxies whose word about their client is taken.
    ///   - connections: How many it holds at one time; more wait to be accepted.
    ///   - logger: Takes a line for each request, at debug, and what goes wrong.
    ///   - metricsFactory: Where requests are counted.
    ///   - onListening: Called with the port as soon as connections are taken.
    package init(
        routes: [any ConsoleRoutes],
        access: AccessControl?,
        host: String,
        port: Int,
        tls: IngressTLS? = nil,
        trustedProxies: TrustedProxies = .none,
        connections: Int = 1_024,
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.routes = routes
        self.host = host
        self.port = port
        self.tls = tls
        self.connections = connections
        self.logger = logger
        self.onListening = onListening
        gate = ConsoleGate(
            access: access,
            trustedProxies: trustedProxies,
            metrics: ConsoleMetrics(factory: metricsFactory),
            logger: logger
        )
    }

    /// Serves until a graceful shutdown.
    package func run() async throws {
        let application = Application(
            router: Self.router(routes, gate),
            server: server(),
            configuration: .init(
                address: .hostname(host, port: port),
                serverName: "skan",
                availableConnectionsDelegate: MaximumAvailableConnections(connections, logger: logger)
            ),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) },
            // Handlers run on Swift's pool. A second loop would only take its threads off the processors: signing
            // over two loops is a quarter slower on two cores.
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton.any()),
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw IngressError(binding: error, host: host, port: port)
        } catch let error as SocketAddressError.UnknownHost {
            throw IngressError(binding: error, host: host, port: port)
        }
    }

    /// Everything that some routes answer, on whatever listener.
    static func router(_ routes: [any ConsoleRoutes], _ gate: ConsoleGate) -> Router<ConsoleContext> {
        let router = Router(context: ConsoleContext.self)
        for endpoint in routes.flatMap(\.endpoints) {
            let definition = endpoint.route.definition
            router.on(RouterPath(definition.path), method: definition.method) { request, context in
                try await gate.answer(endpoint, request, context)
            }
        }
        // After the routes, so that it is only asked when none of them takes a request.
        router.add(middleware: UnmatchedRequests(routes: routes.flatMap(\.endpoints).map(\.route)))
        return router
    }

    /// The bounds of a connection.
    static let channelConfiguration = HTTP1Channel.Configuration(
        idleTimeout: idleTimeout,
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: headBytes, maxHeaderListSize: headBytes, maxHeaderFieldCount: headFields)
    )

    private func server() -> HTTPServerBuilder {
        let configuration = Self.channelConfiguration
        guard let tls else {
            return .http1(configuration: configuration)
        }
        return HTTPServerBuilder { responder in
            ConsoleChannel(http: HTTP1Channel(responder: responder, configuration: configuration), tls: tls)
        }
    }
}
