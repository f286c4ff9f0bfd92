package import Attribution
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
/// remain after ``IngressLimits/stopDeadline`` are cut off, unless the listener finishes answers. When its task is
/// cancelled, everything is cut off at once.
package struct Ingress: Service {
    private let address: IngressAddress
    private let threads: Int
    private let settings: IngressSettings
    private let onListening: @Sendable (IngressAddress) -> Void

    /// Makes a listener; ``run()`` opens it.
    package init(
        address: IngressAddress,
        threads: Int = 1,
        routes: IngressRoutes,
        limits: IngressLimits = IngressLimits(),
        tls: IngressTLS? = nil,
        trustedProxies: TrustedProxies = .none,
        demandsProxyHeader: Bool = false,
        logger: Logger,
        accessLogLevel: Logger.Level = .debug,
        metricNames: IngressMetricNames = .postbacks,
        metricsFactory: any MetricsFactory = MetricsSystem.factory,
        now: @escaping @Sendable () -> Date,
        onListening: @escaping @Sendable (IngressAddress) -> Void = { _ in },
        makeHandler: @escaping @Sendable (@escaping IngressSchedule) -> IngressHandler
    ) {
        self.address = address
        self.threads = max(1, threads)
        self.settings = IngressSettings(
            routes: routes, limits: limits, trustedProxies: trustedProxies, now: now, makeHandler: makeHandler,
            logger: logger, accessLogLevel: accessLogLevel, metricNames: metricNames, metricsFactory: metricsFactory,
            tls: tls, demandsProxyHeader: demandsProxyHeader)
        self.onListening = onListening
    }

    /// Serves connections that are already open, on their event loop, which must be the caller's.
    ///
    /// For tests that measure the cost of a request: no socket, no other thread.
    package func serve(_ channels: [any Channel], peer: InternetAddress) throws {
        guard let eventLoop = channels.first?.eventLoop else { return }
        let loop = IngressLoop(eventLoop: eventLoop, settings: settings, census: IngressCensus(limits: settings.limits))
        loop.start()
        for channel in channels { try IngressServer.configure(channel, peer: peer, loop: loop) }
    }

    /// Gives many answers together, which wakes each event loop once.
    @Sendable package static func answerTogether(_ body: () -> Void) {
        IngressMailbox.together(body)
    }

    /// Listens until graceful shutdown or cancellation, then ends within ``IngressLimits/stopDeadline``.
    ///
    /// A listener that finishes answers ends once they are made and taken, or when its task is cancelled.
    package func run() async throws {
        switch address {
        case .port(let host, let port):
            try await serve { server in
                do {
                    let listener = try await server.bind(host: host, port: port)
                    let address = listener.localAddress
                    return (listener, .port(host: address?.ipAddress ?? host, port: address?.port ?? port))
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

extension Ingress {
    /// Listens at some addresses for a moment, accepting nothing, to find out what keeps a server from it.
    ///
    /// At all of them at once, because two may be the same port.
    package static func tryListening(at addresses: [IngressAddress]) -> [any CodedError] {
        var listeners: [any Channel] = []
        var problems: [any CodedError] = []
        for address in addresses {
            guard case .port(let host, let port) = address else {
                if case .socket(let path, _) = address { problems += trySocket(path) }
                continue
            }
            do {
                let listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .serverChannelOption(.autoRead, value: false)
                    .bind(host: host, port: port).wait()
                listeners.append(listener)
            } catch {
                problems.append(IngressError(binding: error, host: host, port: port))
            }
        }
        for listener in listeners { try? listener.close().wait() }
        return problems
    }

    /// Tries all that listening at a path needs, except replacing a socket that nobody listens at.
    private static func trySocket(_ path: String) -> [SocketError] {
        do throws(SocketError) {
            try SocketFile.checkIsUnused(path)
            try SocketFile(path).remove(nil)
            return []
        } catch {
            return [error]
        }
    }
}

/// How many threads of this process can run at the same time.
package enum ProcessorCount {
    /// The processors of the machine, or fewer where the process is confined: by its affinity, or a container's quota.
    package static var available: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let mask = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }?.dropFirst(13) ?? ""
        let allowed = mask.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        return max(1, allowed > 0 ? min(System.coreCount, allowed) : System.coreCount)
    }
}

/// Where a listener is reached.
package enum IngressAddress: Hashable, Sendable {
    /// A host, which may be a name, and a port; 0 for a free one.
    case port(host: String, port: Int)
    /// The path of a Unix socket; with a lease that keeps other processes from it, one that is found there is replaced.
    case socket(path: String, isLeased: Bool = false)

    /// The port; nil for a socket.
    package var port: Int? {
        if case .port(_, let port) = self { port } else { nil }
    }
}

/// The immutable settings that all event loops of one listener share.
struct IngressSettings: Sendable {
    let routes: IngressRoutes
    let limits: IngressLimits
    let trustedProxies: TrustedProxies
    let now: @Sendable () -> Date
    /// Makes what takes the requests of an event loop.
    let makeHandler: @Sendable (@escaping IngressSchedule) -> IngressHandler
    let logger: Logger
    let accessLogLevel: Logger.Level
    let metricNames: IngressMetricNames
    let metricsFactory: any MetricsFactory
    let tls: IngressTLS?
    let demandsProxyHeader: Bool
}
