import AttributionListener
package import Hummingbird
import NIOCore

/// The context of a console request.
package struct ConsoleContext: RequestContext {
    /// The router's own context.
    package var coreContext: CoreRequestContextStorage
    /// The name of the holder of the request's token; nil on an open route, and when the console has no tokens.
    package internal(set) var caller: String?
    /// The other end of the connection.
    let peer: InternetAddress?

    /// Makes the context of a request from its connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { InternetAddress($0) }
    }
}
