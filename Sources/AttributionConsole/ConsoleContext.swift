import Attribution
package import AttributionAccess
import AttributionListener
package import Hummingbird
import NIOCore

/// The context of a console request.
package struct ConsoleContext: RequestContext {
    /// The router's own context.
    package var coreContext: CoreRequestContextStorage
    /// What the request's token grants; nil on an open route, and when the console has no tokens.
    package internal(set) var caller: AccessGrant?
    /// The session that the request belongs to; nil for a request with a token, and on an open route.
    var session: SessionTable.Session?
    /// The network of the client, for rates; nil when unknown.
    var client: String?
    /// The other end of the connection.
    let peer: InternetAddress?

    /// Makes the context of a request from its connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { InternetAddress($0) }
    }

    /// Refuses a request for a network that its token is not limited to.
    ///
    /// A limited token has to name its networks, because a request that names none applies to all. Every route with
    /// ``ConsoleRoute/namesNetworks`` calls this as soon as it has read the request, and those of reports
    /// ``authorized(_:)``.
    ///
    /// - Parameter networks: The networks that the request names.
    /// - Throws: ``AttributionAccess/AccessRefusal/outOfNetwork(allowed:canName:)``.
    func authorize(_ networks: [String]) throws(AccessRefusal) {
        guard let caller, !caller.networks.isEmpty else { return }
        guard !networks.isEmpty, networks.allSatisfy({ caller.allows(network: $0) }) else {
            throw .outOfNetwork(allowed: caller.networks.map(\.text))
        }
    }
}
