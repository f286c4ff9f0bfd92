import Attribution
import AttributionConsole
import AttributionListener
import Foundation

/// Decides whose signing requests are taken.
struct SigningGate: Sendable {
    /// The tokens; without them, everyone on this machine may sign.
    let access: AccessControl?
    /// Whether requests come over a socket's file, to which the system admits the server's own user only.
    let isSocket: Bool

    /// The caller, if the request has a valid token; and why it is refused, if it is.
    func judge(_ request: IngressRequest) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        guard let access else {
            // Not a web page by DNS rebinding, whose requests name the page's own host.
            let isForeign = !isSocket && request.fields["host"]?.isLoopbackAuthority != true
            return (nil, isForeign ? .foreignHost : nil)
        }
        return access.judge(
            .scope(.sign),
            authorization: request.fields.values("authorization"),
            client: { request.client },
            now: request.receivedAt,
            instant: .now
        )
    }
}

extension AccessGrant {
    /// Refuses a request for a network that the token is not limited to.
    ///
    /// A limited token has to name its networks, because a request that names none applies to all.
    func authorize(_ names: [String]) throws(AccessRefusal) {
        guard !networks.isEmpty else { return }
        guard !names.isEmpty, names.allSatisfy({ allows(network: $0) }) else {
            throw .outOfNetwork(allowed: networks.map(\.text))
        }
    }
}

extension IngressAnswer {
    /// The answer to a request that is refused access.
    init(refusing refusal: AccessRefusal, caller: AccessGrant?) {
        self.init(refusing: refusal)
        self.caller = caller?.name
        if let challenge = refusal.challenge {
            set("WWW-Authenticate", challenge)
        }
    }
}
