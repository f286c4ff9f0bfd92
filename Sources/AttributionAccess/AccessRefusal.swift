/// Why the console turns a request away before its route sees it.
package enum AccessRefusal: Sendable, Equatable {
    case noCredentials
    case malformed
    case unknown
    case expired
    case outOfScope(needed: AccessScope)
    case outOfNetwork(allowed: [String])
    case foreignHost
    case tooFast(retryAfter: Duration)

    /// The stable code of the answer's body.
    package var code: String {
        switch self {
        case .noCredentials: "no-token"
        case .malformed: "malformed-authorization"
        case .unknown: "unknown-token"
        case .expired: "expired-token"
        case .outOfScope: "out-of-scope"
        case .outOfNetwork: "out-of-network"
        case .foreignHost: "foreign-host"
        case .tooFast: "too-many-requests"
        }
    }

    /// What was expected and what to do.
    package var detail: String {
        switch self {
        case .noCredentials: "send Authorization: Bearer and a token that skan tokens create printed"
        case .malformed: "expected one line, Authorization: Bearer TOKEN"
        case .unknown: "the token is not on the list; it may have been revoked"
        case .expired: "the token has expired; ask for a new one"
        case .outOfScope(let needed): "the token lacks the scope \(needed.rawValue), which this route needs"
        case .outOfNetwork(let allowed):
            "the token is limited to \(allowed.joined(separator: ", ")): name nothing but these in ad-network-id, "
                + "advertise.networks or where=network=ID, or use a token without a limit"
        case .foreignHost:
            "Host: expected localhost or a loopback address; without tokens nobody may ask in another name "
                + "(skan tokens create, skan serve --tokens)"
        case .tooFast: "too many requests in the last second; see Retry-After"
        }
    }
}
