import AttributionListener
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection of the console over TLS, with the identity as it is when the connection is accepted.
struct ConsoleChannel: ServerChildChannel {
    let http: HTTP1Channel
    let tls: IngressTLS

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let context = tls.currentContext()
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
