/// Why the console turns a request away before its route sees it.
package enum AccessRefusal: Sendable, Equatable {
    case noCredentials
    case malformed
    case unknown
    case expired
    case outOfScope(needed: AccessScope)
    case foreignHost
    case tooFast(retryAfter: Duration)

    /// The HTTP status code, RFC 6750 section 3.1 and RFC 6585 section 4.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .noCredentials, .unknown, .expired: 401
        case .outOfScope, .foreignHost: 403
        case .tooFast: 429
        }
    }

    /// The stable code of the answer's body.
    package var code: String {
        switch self {
        case .noCredentials: "no-token"
        case .malformed: "malformed-authorization"
        case .unknown: "unknown-token"
        case .expired: "expired-token"
        case .outOfScope: "out-of-scope"
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
        case .foreignHost:
            "Host: expected localhost or a loopback address; without tokens nobody may ask in another name "
                + "(skan tokens create, skan serve --tokens)"
        case .tooFast: "too many requests in the last second; see Retry-After"
        }
    }

    /// The WWW-Authenticate value; an error code only when a token was sent, RFC 6750 section 3.1.
    package var challenge: String? {
        switch self {
        case .noCredentials: #"Bearer realm="skan""#
        case .malformed: #"Bearer realm="skan", error="invalid_request", error_description="\#(detail)""#
        case .unknown, .expired: #"Bearer realm="skan", error="invalid_token", error_description="\#(detail)""#
        case .outOfScope(let needed):
            #"Bearer realm="skan", error="insufficient_scope", scope="\#(needed.rawValue)""#
        case .foreignHost, .tooFast: nil
        }
    }

    /// The Retry-After value in whole seconds, at least 1.
    package var retryAfterSeconds: Int64? {
        guard case .tooFast(let wait) = self else {
            return nil
        }
        return max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    }
}
