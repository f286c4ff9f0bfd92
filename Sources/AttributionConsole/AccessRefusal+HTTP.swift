package import AttributionAccess

extension AccessRefusal {
    /// The HTTP status code, RFC 6750 section 3.1 and RFC 6585 section 4.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .noCredentials, .unknown, .expired: 401
        case .outOfScope, .outOfNetwork, .foreignHost: 403
        case .tooFast: 429
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
        case .outOfNetwork, .foreignHost, .tooFast: nil
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
