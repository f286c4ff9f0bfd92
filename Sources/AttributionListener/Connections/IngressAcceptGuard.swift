import Logging
import NIOCore
import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Reports errors of accepting connections, and pauses when the process or the system has run out of resources.
///
/// The connection then stays in the system's queue and the socket stays readable: without the pause the event loop
/// would spin.
final class IngressAcceptGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// How long nothing is accepted.
    private static let pauseDuration = TimeAmount.milliseconds(100)

    private let logger: Logger
    private var throttle = LogThrottle(every: .seconds(10))
    private var isPaused = false

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A connection that closed before it was set up is not a problem.
        if let error = error as? ChannelError, error == .ioOnClosedChannel { return }
        logger.log(
            level: .warning, "a connection could not be accepted", throttle: &throttle, at: .now,
            metadata: ["error": "\(Self.reason(error))"])
        if let error = error as? IOError, Self.exhaustions.contains(error.errnoCode) { pause(context) }
    }

    /// The system's message where there is one; that of the library is not meant for operators.
    private static func reason(_ error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(type(of: error))"
    }

    /// The errors of accept(2) that persist until resources are released.
    private static let exhaustions = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private func pause(_ context: ChannelHandlerContext) {
        guard !isPaused else { return }
        isPaused = true
        // NIO's AcceptBackoffHandler only delays the next read: the socket stays registered, and the loop spins.
        let options = context.channel.syncOptions
        try? options?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pauseDuration) { [self] in
            isPaused = false
            try? options?.setOption(.autoRead, value: true)
        }
    }
}
