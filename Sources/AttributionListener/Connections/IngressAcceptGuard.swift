import BoundedLogging
import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reports what goes wrong with accepting connections, and rests when the process or the system has no room for more.
///
/// The connection stays in the queue of the system then, and the socket stays readable: without the rest the event
/// loop would try again at once, for ever, and serve its connections in between.
final class IngressAcceptGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// How long nothing is accepted.
    private static let rest = TimeAmount.milliseconds(100)

    private let logger: Logger
    private var throttle = LogThrottle(every: .seconds(10))
    private var isResting = false

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A connection that is gone before it is set up is nobody's problem.
        if let error = error as? ChannelError, error == .ioOnClosedChannel { return }
        logger.log(
            level: .warning, "a connection could not be accepted", throttle: &throttle, at: .now,
            metadata: ["error": "\(error)"])
        if let error = error as? IOError, Self.exhaustions.contains(error.errnoCode) { pause(context) }
    }

    /// The errors of accept(2) that go on until something is given back.
    private static let exhaustions = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private func pause(_ context: ChannelHandlerContext) {
        guard !isResting else { return }
        isResting = true
        // AcceptBackoffHandler of NIO only holds the next read back: the socket stays registered, and the loop spins.
        let options = context.channel.syncOptions
        try? options?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) { [self] in
            isResting = false
            try? options?.setOption(.autoRead, value: true)
        }
    }
}
