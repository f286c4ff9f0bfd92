import Attribution
import AttributionAccess

/// What the gate found out about a request.
package struct ConsoleContext: Sendable {
    /// What the request's token grants; nil on an open route, and when the console has no tokens.
    var caller: AccessGrant?
    /// The session that the request belongs to; nil for a request with a token, and on an open route.
    var session: SessionTable.Session?

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
