package import StrictJSON

/// The request a device sends when a web ad is tapped, read strictly.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
package struct WebAdTap: Hashable, Sendable {
    /// The only engagement type.
    package static let engagement = "click_to_App_Store"
    /// The only version with web ads.
    package static let version = SKAdNetworkVersion.v4_0

    /// The nonce of the link.
    package let nonce: Nonce
    /// The domain (eTLD+1) of the page with the link, as received.
    package let sourceDomain: SourceDomain

    package init(nonce: Nonce, sourceDomain: SourceDomain) {
        self.nonce = nonce
        self.sourceDomain = sourceDomain
    }

    /// Reads a request; unknown names are ignored.
    package init(reading bytes: some Collection<UInt8>) throws(WebAdRefusal) {
        let object: JSONObject
        do {
            object = try JSONObject(reading: bytes)
        } catch {
            throw .notJSON(error)
        }
        var problems: [FieldProblem] = []
        func text(_ name: String, _ expected: String) -> String? {
            guard case .string(let text) = object[name] else {
                problems.append(
                    FieldProblem(field: name, found: object[name]?.summary ?? "nothing", expected: expected))
                return nil
            }
            return text
        }
        if let version = text("version", "the string \"4.0\""), version != Self.version.rawValue {
            // Another version may have other fields.
            throw .unknownVersion(version)
        }
        if let engagement = text("source_engagement_type", "the string \"\(Self.engagement)\""),
            engagement != Self.engagement
        {
            problems.append(
                FieldProblem(
                    field: "source_engagement_type", found: JSONValue.string(engagement).summary,
                    expected: "the string \"\(Self.engagement)\""))
        }
        var domain: SourceDomain?
        if let given = text("source_domain", "a domain") {
            do {
                domain = try SourceDomain.received(given, field: "source_domain")
            } catch {
                problems.append(error)
            }
        }
        let expected = "the 16 bytes of a version 4 UUID in base64url, with or without padding"
        var nonce: Nonce?
        if let given = text("source_nonce", expected) {
            nonce = Nonce(base64URL: given)
            if nonce == nil {
                problems.append(
                    FieldProblem(
                        field: "source_nonce", found: JSONValue.string(given).summary, expected: expected))
            }
        }
        guard problems.isEmpty, let nonce, let domain else {
            throw .malformed(problems)
        }
        self.init(nonce: nonce, sourceDomain: domain)
    }
}

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
