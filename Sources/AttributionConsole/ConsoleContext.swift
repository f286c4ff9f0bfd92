import AttributionListener
package import Hummingbird
import NIOCore

/// What is known of a request of the console besides what was sent.
package struct ConsoleContext: RequestContext {
    /// What the router keeps.
    package var coreContext: CoreRequestContextStorage
    /// The name of the holder of the request's token; nil on an open route, and when the console has no tokens.
    package internal(set) var caller: String?
    /// The other end of the connection.
    let peer: InternetAddress?

    /// Takes what the connection tells.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { InternetAddress($0) }
    }
}
