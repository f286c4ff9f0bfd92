package import CodedErrors
package import StrictJSON

/// Why a tap on a web ad is refused; a refusal never uses up a nonce.
package enum WebAdRefusal: CodedError, Hashable, Sendable {
    /// The body is not one JSON object.
    case notJSON(JSONError)
    /// Fields are missing, of the wrong type or out of range; lists all of them.
    case malformed([FieldProblem])
    /// The version is not 4.0.
    case unknownVersion(String)
    /// No ad has the nonce, or the ad was deleted long after it expired.
    case nonceUnknown
    /// The nonce was used before.
    case nonceUsed
    /// The ad has expired.
    case nonceExpired
    /// The ad was issued for other domains.
    case domainNotAllowed(SourceDomain)

    /// The stable code, also for counters.
    package var code: ErrorCode {
        switch self {
        case .notJSON: .notJSON
        case .malformed: .malformed
        case .unknownVersion: .unknownVersion
        case .nonceUnknown: .nonceUnknown
        case .nonceUsed: .nonceUsed
        case .nonceExpired: .nonceExpired
        case .domainNotAllowed: .domainNotAllowed
        }
    }
}

extension WebAdRefusal: CustomStringConvertible {
    /// What was found, what was expected, and what to do.
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .malformed(let problems): problems.map(\.description).joined(separator: "; ")
        case .unknownVersion(let version):
            "version: found \"\(version.shortened(to: 60))\", expected 4.0, the only known version with web ads"
        case .nonceUnknown:
            "source_nonce: no ad has it, or the ad expired long ago; issue an ad with skan web-ad issue"
        case .nonceUsed: "source_nonce: already used; issue a new ad for each impression"
        case .nonceExpired: "source_nonce: the ad has expired; issue a new one, or use a longer lifetime"
        case .domainNotAllowed(let domain):
            "source_domain: found \"\(domain.text.shortened(to: 60))\", expected one the ad was issued for; "
                + "the nonce is still unused"
        }
    }
}
