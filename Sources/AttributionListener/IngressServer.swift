import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// The running half of a listener: its event loops, their state, and shutdown.
struct IngressServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let settings: IngressSettings
    private let census: IngressCensus
    private let loops: [NIOLoopBound<IngressLoop>]

    /// Sets up every event loop of a group.
    init(group: MultiThreadedEventLoopGroup, settings: IngressSettings) async {
        let census = IngressCensus(limits: settings.limits)
        var loops: [NIOLoopBound<IngressLoop>] = []
        for eventLoop in group.makeIterator() {
            let bound = try? await eventLoop.submit {
                let loop = IngressLoop(eventLoop: eventLoop, settings: settings, census: census)
                loop.start()
                return NIOLoopBound(loop, eventLoop: eventLoop)
            }.get()
            if let bound { loops.append(bound) }
        }
        self.group = group
        self.settings = settings
        self.census = census
        self.loops = loops
    }

    /// Opens the listening socket at a port.
    func bind(host: String, port: Int) async throws -> any Channel {
        try await bootstrap
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .bind(host: host, port: port)
            .get()
    }

    /// Opens the listening socket at a path.
    func bind(socket path: String) async throws -> any Channel {
        try await bootstrap.bind(unixDomainSocketPath: path).get()
    }

    private var bootstrap: ServerBootstrap {
        let limits = settings.limits
        let loops = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
        let settings = settings
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(IngressAcceptGuard(logger: settings.logger))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // A slow client takes little at a time, and only what is not handed to the system shows that it does.
            .childChannelOption(.socketOption(.so_sndbuf), value: 256 << 10)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 16 * 1024)
            )
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: max(1, limits.outboundBytes / 2), high: max(1, limits.outboundBytes))
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops[ObjectIdentifier(channel.eventLoop)]?.value else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    try Self.configure(channel, loop: loop)
                }
            }
    }

    /// Lets requests in progress finish, and cuts off the connections left after the bound.
    func stop(within bound: Duration) async {
        let emptied = group.next().makePromise(of: Void.self)
        census.stop { emptied.succeed() }
        for loop in loops { loop.eventLoop.execute { loop.value.stop() } }
        let finishesAnswers = settings.limits.finishesAnswers && bound > .zero
        let limit = group.next().scheduleTask(in: TimeAmount(bound)) {
            finishesAnswers ? stopWaiting() : cutOff()
        }
        try? await emptied.futureResult.get()
        limit.cancel()
    }

    /// Closes every connection now.
    func cutOff() {
        for loop in loops { loop.eventLoop.execute { loop.value.cutOff() } }
    }

    private func stopWaiting() {
        for loop in loops { loop.eventLoop.execute { loop.value.stopWaiting() } }
    }

    /// Ends tasks whose answers nobody waits for, and shuts down the event loops.
    ///
    /// Not those of a handler that still owes answers, which need their event loop.
    func finish() async {
        for loop in loops {
            let tasks = try? await loop.eventLoop.submit { loop.value.cancelTasks() }.get()
            for task in tasks ?? [] { await task.value }
        }
        var unanswered = 0
        for loop in loops {
            let count = try? await loop.eventLoop.submit {
                loop.value.end()
                return loop.value.unansweredCount
            }.get()
            unanswered += count ?? 0
        }
        if unanswered > 0 {
            settings.logger.warning(
                "requests were left unanswered at shutdown; their clients will send them again",
                metadata: ["count": "\(unanswered)"])
        } else {
            try? await group.shutdownGracefully()
        }
    }

    /// Sets up a connection that was accepted, or closes it.
    private static func configure(_ channel: any Channel, loop: IngressLoop) throws {
        let peer = channel.remoteAddress?.ipAddress.flatMap { InternetAddress($0) }
        try configure(channel, peer: peer, loop: loop)
    }

    /// Sets up a connection, or closes it.
    static func configure(_ channel: any Channel, peer: InternetAddress?, loop: IngressLoop) throws {
        let settings = loop.settings
        let peer = ConnectionPeer(peer, trustedProxies: settings.trustedProxies)
        let admission = loop.admit(peer.network)
        guard admission == .accepted || admission == .reserved else {
            channel.close(promise: nil)
            return
        }
        let connection = ConnectionHandler(loop: loop, peer: peer, isReserved: admission == .reserved)
        let operations = channel.pipeline.syncOperations
        do {
            let isDemanded = settings.demandsProxyHeader && peer.isProxy
            // Without TLS, the answer to a header that is not taken says so.
            if isDemanded || settings.tls != nil {
                try operations.addHandler(ProxyHeaderHandler(of: connection, isDemanded: isDemanded))
            }
            if let tls = settings.tls {
                try operations.addHandler(NIOSSLServerHandler(context: tls.identity.context))
            }
            try operations.addHandler(connection)
        } catch {
            // A handler that was added leaves the census itself.
            if connection.context == nil {
                loop.census.leave(peer.network, isReserved: connection.isReserved)
            }
            throw error
        }
    }
}
