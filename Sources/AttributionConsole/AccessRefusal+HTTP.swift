package import AttributionAccess

extension AccessRefusal {
    /// The WWW-Authenticate value; an error code only when a token was sent, RFC 6750 section 3.1.
    package var challenge: String? {
        switch self {
        case .noCredentials: #"Bearer realm="skan""#
        case .malformed: #"Bearer realm="skan", error="invalid_request", error_description="\#(message)""#
        case .unknown, .expired: #"Bearer realm="skan", error="invalid_token", error_description="\#(message)""#
        case .outOfScope(let needed):
            #"Bearer realm="skan", error="insufficient_scope", scope="\#(needed.rawValue)""#
        case .outOfNetwork, .foreignHost, .tooFast: nil
        }
    }
}
