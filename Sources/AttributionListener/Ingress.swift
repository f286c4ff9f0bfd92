package import FoundationEssentials
package import Logging
package import Metrics
package import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A listener: takes requests over HTTP/1.1, refuses what is not one, and bounds what a client can cost.
///
/// Every complete request goes to the handler on its event loop; answers come back from any thread. On graceful
/// shutdown the listener and idle connections close at once, requests in progress are answered, and connections that
/// remain after ``IngressLimits/stopDeadline`` are cut off, unless the listener finishes answers. When its task is cancelled, everything is cut off at once.
package struct Ingress: Service {
    private let address: IngressAddress
    private let threads: Int
    private let givesWay: Bool
    private let settings: IngressSettings
    private let onListening: @Sendable (IngressAddress) -> Void

    /// Makes a listener; ``run()`` opens it.
    ///
    /// - Parameters:
    ///   - address: Where to listen.
    ///   - threads: How many event loops, each a thread, serve the connections.
    ///   - routes: The paths it serves; any other is answered 404.
    ///   - limits: The bounds.
    ///   - tls: The TLS identity; `nil` for plain HTTP.
    ///   - trustedProxies: The proxies that are trusted to name their clients.
    ///   - givesWay: Whether its event loops leave most of a contended processor to other threads of the process.
    ///   - logger: Receives the access log and problems.
    ///   - accessLogLevel: The level of the line written for each request: method, matched route, status, sizes,
    ///     duration; never a body or a query.
    ///   - metricNames: The names of the counters.
    ///   - metricsFactory: Where they are kept.
    ///   - now: The clock of ``IngressRequest/receivedAt``.
    ///   - onListening: Called with the bound address, once connections are accepted.
    ///   - makeHandler: Makes what takes the requests of an event loop; called on each.
    package init(
        address: IngressAddress,
        threads: Int = 1,
        routes: IngressRoutes,
        limits: IngressLimits = IngressLimits(),
        tls: IngressTLS? = nil,
        trustedProxies: TrustedProxies = .none,
        givesWay: Bool = false,
        logger: Logger,
        accessLogLevel: Logger.Level = .debug,
        metricNames: IngressMetricNames = .postbacks,
        metricsFactory: any MetricsFactory = MetricsSystem.factory,
        now: @escaping @Sendable () -> Date,
        onListening: @escaping @Sendable (IngressAddress) -> Void = { _ in },
        makeHandler: @escaping @Sendable (IngressTurns) -> IngressHandler
    ) {
        self.address = address
        self.threads = max(1, threads)
        self.givesWay = givesWay
        self.settings = IngressSettings(
            routes: routes,
            limits: limits,
            trustedProxies: trustedProxies,
            now: now,
            makeHandler: makeHandler,
            logger: logger,
            accessLogLevel: accessLogLevel,
            metricNames: metricNames,
            metricsFactory: metricsFactory,
            tls: tls
        )
        self.onListening = onListening
    }

    /// Serves connections that are already open, on their event loop, which must be the caller's.
    ///
    /// For tests that measure the cost of a request: no socket, no other thread.
    ///
    /// - Parameters:
    ///   - channels: The connections, all of one event loop.
    ///   - peer: Their other end.
    /// - Throws: What a channel reports.
    package func serve(_ channels: [any Channel], peer: InternetAddress) throws {
        guard let eventLoop = channels.first?.eventLoop else { return }
        let loop = IngressLoop(eventLoop: eventLoop, settings: settings, census: IngressCensus(limits: settings.limits))
        loop.start()
        for channel in channels { try IngressServer.configure(channel, peer: peer, loop: loop) }
    }

    /// Gives many answers together, which wakes each event loop once.
    ///
    /// - Parameter body: Calls the answer closures of any number of requests on the calling thread.
    @Sendable package static func answerTogether(_ body: () -> Void) {
        IngressMailbox.together(body)
    }

    /// Listens until graceful shutdown or cancellation, then ends within ``IngressLimits/stopDeadline``.
    ///
    /// A listener that finishes answers ends once they are made and taken, or when its task is cancelled.
    ///
    /// - Throws: ``IngressError/cannotListen(host:port:reason:)`` or ``SocketError``.
    package func run() async throws {
        switch address {
        case .port(let host, let port):
            try await serve { server in
                do {
                    let listener = try await server.bind(host: host, port: port)
                    let address = listener.localAddress
                    return (
                        listener, .port(host: address?.ipAddress ?? host, port: address?.port ?? port)
                    )
                } catch {
                    throw IngressError(binding: error, host: host, port: port)
                }
            }
        case .socket(let path, let isLeased):
            if !isLeased { try SocketFile.checkIsUnused(path) }
            let file = try SocketFile(path)
            let published = Mutex<SocketFile.Identity?>(nil)
            defer { file.remove(published.withLock { $0 }) }
            try await serve { server in
                let listener: any Channel
                do {
                    listener = try await server.bind(socket: file.binding.text)
                } catch {
                    throw SocketError(binding: error, path)
                }
                let identity = try file.publish()
                published.withLock { $0 = identity }
                return (listener, .socket(path: path))
            }
        }
    }

    private func serve(
        _ bind: (IngressServer) async throws -> (listener: any Channel, address: IngressAddress)
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let server = await IngressServer(group: group, settings: settings)
        let listener: any Channel
        do {
            let bound = try await bind(server)
            listener = bound.listener
            onListening(bound.address)
            if givesWay { server.giveWay() }
        } catch {
            await server.finish()
            throw error
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                try? await listener.closeFuture.get()
                await server.stop(within: Task.isCancelled ? .zero : settings.limits.stopDeadline)
            } onGracefulShutdown: {
                listener.close(promise: nil)
            }
        } onCancel: {
            listener.close(promise: nil)
            server.cutOff()
        }
        await server.finish()
    }
}
