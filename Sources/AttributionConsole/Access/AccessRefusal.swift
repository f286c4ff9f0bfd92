package import Attribution

/// Why the console refuses a request before it reaches its route.
package enum AccessRefusal: CodedError, Equatable {
    case noCredentials
    case malformed
    case unknown
    case expired
    case outOfScope(needed: AccessScope)
    /// The token is limited to some networks; on some routes a request can name them, the others concern all.
    case outOfNetwork(allowed: [String], canName: Bool = true)
    /// The token is limited to some apps; some routes count those alone, the others concern all.
    case outOfApp(allowed: [String], canName: Bool = true)
    case foreignHost
    case tooFast(retryAfter: Duration)

    package var code: ErrorCode {
        switch self {
        case .noCredentials: .noToken
        case .malformed: .malformedAuthorization
        case .unknown: .unknownToken
        case .expired: .expiredToken
        case .outOfScope: .outOfScope
        case .outOfNetwork: .outOfNetwork
        case .outOfApp: .outOfApp
        case .foreignHost: .foreignHost
        case .tooFast: .tooManyRequests
        }
    }

    /// After how long the caller may try again.
    package var retryAfter: Duration? {
        if case .tooFast(let wait) = self { wait } else { nil }
    }

    /// What was expected and what to do.
    package var message: String {
        switch self {
        case .noCredentials: "send Authorization: Bearer and a token that skan tokens create printed"
        case .malformed: "expected one line, Authorization: Bearer TOKEN"
        case .unknown: "the token is not on the list; it may have been revoked"
        case .expired: "the token has expired; ask for a new one"
        case .outOfScope(let needed): "the token lacks the scope \(needed.rawValue), which this route needs"
        case .outOfNetwork(let allowed, let canName):
            "the token is limited to \(allowed.joined(separator: ", "))"
                + (canName ? "" : ", and this route concerns all networks")
        case .outOfApp(let allowed, let canName):
            "the token is limited to app \(allowed.joined(separator: ", "))"
                + (canName ? ", and the request names another" : ", and this is not of single apps")
        case .foreignHost:
            "Host: expected localhost or a loopback address; other names need access control "
                + "(skan tokens create, skan serve --tokens)"
        case .tooFast: "too many requests in the last second; see Retry-After"
        }
    }

    /// What a token that is limited to some networks or apps can be used for.
    package var hint: String? {
        switch self {
        case .outOfNetwork(_, canName: true):
            "name no other network in ad-network-id, advertise.networks or where=network=ID, and at least one; "
                + "or use a token without a limit"
        case .outOfNetwork(_, canName: false): "use a token without a limit"
        case .outOfApp(_, canName: true):
            "name no other app in where=app=ID, or none: these alone are counted in any case"
        case .outOfApp(_, canName: false):
            "the pages / and /explore, reports, /v1/report, /v1/reports/NAME and /v1/postbacks are limited to these apps; "
                + "for everything else use a token without a limit"
        default: nil
        }
    }
}
