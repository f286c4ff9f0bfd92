import StrictJSON

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

    /// Makes a tap.
    package init(nonce: Nonce, sourceDomain: SourceDomain) {
        self.nonce = nonce
        self.sourceDomain = sourceDomain
    }

    /// Reads a request; unknown names are ignored.
    ///
    /// - Parameter bytes: The body as received.
    /// - Throws: ``WebAdRefusal/notJSON(_:)``, ``WebAdRefusal/unknownVersion(_:)`` or
    ///   ``WebAdRefusal/malformed(_:)`` with every invalid field.
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
