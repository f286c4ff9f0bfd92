import Logging
import NIOCore

/// Reports what goes wrong with accepting connections, such as the want of file descriptors.
final class IngressAcceptLog: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let logger: Logger
    private var nextWarning = NIODeadline.distantPast

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A connection that is gone before it is set up is nobody's problem.
        if let error = error as? ChannelError, error == .ioOnClosedChannel { return }
        let now = NIODeadline.now()
        guard now >= nextWarning else { return }
        nextWarning = now + .seconds(10)
        logger.warning(
            "a connection could not be accepted; not repeated for ten seconds",
            metadata: ["error": "\(error)"]
        )
    }
}
