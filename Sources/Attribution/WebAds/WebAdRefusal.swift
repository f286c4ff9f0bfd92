package import CodedErrors
package import StrictJSON

/// Why a tap on a web ad is not answered with a payload: data, not a failure.
///
/// None of them changes anything: a nonce stays as it was.
package enum WebAdRefusal: CodedError, Hashable, Sendable {
    /// The body is not one JSON object.
    case notJSON(JSONError)
    /// Fields are missing, of the wrong type or out of range; all that were found.
    case malformed([FieldProblem])
    /// The version is not 4.0.
    case unknownVersion(String)
    /// No ad was issued under the nonce, or so long ago that it is forgotten.
    case nonceUnknown
    /// The nonce was answered before.
    case nonceUsed
    /// The ad's lifetime is over.
    case nonceExpired
    /// The ad was issued for other domains; it still may be tapped on those.
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
    /// What was found, what was expected, what to do.
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .malformed(let problems): problems.map(\.description).joined(separator: "; ")
        case .unknownVersion(let version):
            "version: found \"\(version.shortened(to: 60))\", expected 4.0, the only one with web ads known here"
        case .nonceUnknown:
            "source_nonce: no ad was issued under it, or its time is long over; issue one with skan web-ad issue"
        case .nonceUsed: "source_nonce: answered before, and each is answered once; issue one for each impression"
        case .nonceExpired: "source_nonce: the ad's lifetime is over; issue another, or with a longer lifetime"
        case .domainNotAllowed(let domain):
            "source_domain: found \"\(domain.text.shortened(to: 60))\", expected one the ad was issued for; "
                + "the nonce is still unused"
        }
    }
}
