import AttributionAccess
import AttributionListener
import BoundedLogging
import CodedErrors
import Logging
import Metrics
import NIOCore
import ServiceLifecycle

/// The connections of a console: admission, displacement, and deadlines.
///
/// At the limit a new connection displaces the one that has gone longest without a complete request, so that unfinished
/// requests cannot block the console. Only when every connection has a complete request in progress does it get a
/// reserved one, which serves probes only. Used on its event loop only.
final class ConsoleConnections {
    /// The kind of a path.
    enum Route {
        /// Open to everyone.
        case open
        /// For monitoring, with a token.
        case metrics
        case other
    }

    let limits: ConsoleLimits
    private let trustedProxies: TrustedProxies
    private let openPaths: Set<String>
    private let logger: Logger
    private let metricsFactory: any MetricsFactory
    private var counters: [String: Counter] = [:]
    private var throttle = LogThrottle(every: .seconds(10))

    private var connections: [ObjectIdentifier: ConsoleConnection] = [:]
    private var countByNetwork: [InternetAddress: Int] = [:]
    private var reservedCount = 0
    /// From when on no client is waited for; nil until the console stops.
    private var cutOffTime: NIODeadline?

    private init(
        _ limits: ConsoleLimits, _ routes: [ConsoleRoute], _ gate: ConsoleGate, _ metricsFactory: any MetricsFactory
    ) {
        self.limits = limits
        self.metricsFactory = metricsFactory
        trustedProxies = gate.trustedProxies
        logger = gate.logger
        openPaths = Set(routes.map(\.definition).filter { $0.access == .open }.map(\.path))
    }

    /// Manages connections while `serve` runs, and cuts off those that keep it from ending.
    ///
    /// - Parameters:
    ///   - eventLoop: The loop of all connections.
    ///   - limits: The bounds.
    ///   - routes: The console's routes.
    ///   - gate: Provides the trusted proxies and the logger.
    ///   - metricsFactory: Makes the counters.
    ///   - serve: Serves the connections.
    /// - Throws: What `serve` throws.
    static func run(
        on eventLoop: any EventLoop,
        limits: ConsoleLimits,
        routes: [ConsoleRoute],
        gate: ConsoleGate,
        metricsFactory: any MetricsFactory,
        serve: (NIOLoopBound<ConsoleConnections>) async throws -> Void
    ) async throws {
        let interval = TimeAmount(limits.sweepInterval)
        let (bound, sweep) = try await eventLoop.submit {
            let bound = NIOLoopBound(
                ConsoleConnections(limits, routes, gate, metricsFactory), eventLoop: eventLoop)
            let sweep = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
                bound.value.checkDeadlines()
            }
            return (bound, sweep)
        }.get()
        defer { sweep.cancel() }
        try await withGracefulShutdownHandler {
            try await serve(bound)
        } onGracefulShutdown: {
            eventLoop.execute { bound.value.stop(bound) }
        }
    }

    // MARK: Admission

    /// Counts a connection that was accepted.
    ///
    /// - Returns: Its state; nil when it must be closed.
    func admit(_ channel: any Channel) -> ConsoleConnection? {
        let peer = channel.remoteAddress?.ipAddress.flatMap { InternetAddress($0) }
        let network = peer.flatMap { trustedProxies.contains($0) ? nil : $0.clientNetwork }
        if isFull(for: network) {
            displace { !$0.isReserved && $0.network == network }
        }
        if isFull {
            displace { !$0.isReserved }
        }
        let isReserved = isFull || isFull(for: network)
        if isReserved, reservedCount >= limits.probeConnections {
            displace { $0.isReserved }
            guard reservedCount < limits.probeConnections else {
                count("refused")
                return nil
            }
        }
        count(isReserved ? "reserved" : "accepted")
        let connection = ConsoleConnection(channel, network: network, isReserved: isReserved, in: self)
        connections[ObjectIdentifier(connection)] = connection
        if isReserved {
            reservedCount += 1
        } else if let network {
            countByNetwork[network, default: 0] += 1
        }
        let bound = NIOLoopBound((self, connection), eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in
            bound.value.0.remove(bound.value.1)
        }
        return connection
    }

    /// Removes a connection; later calls do nothing.
    func remove(_ connection: ConsoleConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if connection.isReserved {
            reservedCount -= 1
        } else if let network = connection.network, let count = countByNetwork[network] {
            countByNetwork[network] = count > 1 ? count - 1 : nil
        }
    }

    private var isFull: Bool {
        connections.count - reservedCount >= limits.ordinaryConnections
    }

    private func isFull(for network: InternetAddress?) -> Bool {
        guard let network else { return false }
        return countByNetwork[network, default: 0] >= limits.connectionsPerAddress
    }

    /// Ends the candidate that gives way first, if any.
    private func displace(_ isCandidate: (ConsoleConnection) -> Bool) {
        var first: (connection: ConsoleConnection, rank: ConsoleProgress.Rank)?
        for connection in connections.values where isCandidate(connection) {
            guard let rank = connection.progress.rank else { continue }
            if let first, (first.rank, first.connection.progress.since) <= (rank, connection.progress.since) {
                continue
            }
            first = (connection, rank)
        }
        guard let first else { return }
        logger.log(
            level: .warning, "a console connection was closed to make room for a new one", throttle: &throttle,
            at: .now,
            metadata: ["connections": "\(connections.count)"])
        first.connection.end("displaced")
    }

    // MARK: Deadlines

    /// The kind of a request's path.
    func route(of target: String) -> Route {
        var path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        if path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
        guard path.count <= 32 else { return .other }
        let text = String(Substring(path))
        if openPaths.contains(text) { return .open }
        return text == ConsoleRoute.metrics.definition.path ? .metrics : .other
    }

    /// A duration as a `TimeAmount`.
    func deadline(_ duration: Duration) -> TimeAmount {
        TimeAmount(duration)
    }

    private func checkDeadlines() {
        let now = NIODeadline.now()
        for connection in Array(connections.values) { connection.checkDeadlines(at: now) }
        guard let cutOffTime, cutOffTime <= now else { return }
        for connection in Array(connections.values) where connection.isClientAwaited {
            connection.end(bypassingTLS: "stop-deadline")
        }
    }

    /// Begins the time after which no client is waited for.
    private func stop(_ bound: NIOLoopBound<ConsoleConnections>) {
        let time = NIODeadline.now() + deadline(limits.stopDeadline)
        cutOffTime = time
        bound.eventLoop.scheduleTask(deadline: time) { bound.value.checkDeadlines() }
    }

    // MARK: Metrics

    private func count(_ outcome: String) {
        count("skan_console_connections_total", "outcome", outcome)
    }

    /// Counts a connection that the server ended.
    func countEnd(_ reason: String) {
        count("skan_console_disconnects_total", "reason", reason)
    }

    /// Counts a request that reached no route.
    func count(_ fault: ConsoleFault) {
        count("skan_console_refusals_total", "reason", fault.code.rawValue)
    }

    private func count(_ label: String, _ dimension: String, _ value: String) {
        let key = label + value
        let counter =
            counters[key] ?? Counter(label: label, dimensions: [(dimension, value)], factory: metricsFactory)
        counters[key] = counter
        counter.increment()
    }
}
