package import StrictJSON

/// The unchecked values of a web ad to issue.
package struct WebAdRequest: Sendable {
    /// The default lifetime of a web ad, in seconds: a day.
    package static let standardLifetimeSeconds: Int64 = 86_400
    /// The possible lifetimes, in seconds: up to the 30 days that Apple allows from tap to install.
    package static let lifetimes: ClosedRange<Int64> = 1...2_592_000
    /// The maximum number of domains of an ad.
    package static let maximumDomains = 64

    /// `ad-network-id`.
    package var adNetworkID: String
    /// `itunes-item-id`, the advertised app.
    package var itunesItemID: Int64
    /// `source-identifier`, 0…9999.
    package var sourceIdentifier: Int64
    /// `source-domains`: the domains (eTLD+1) whose pages may show it; empty for any.
    package var sourceDomains: [String]
    /// `attribution-destination`, the origin that devices request the payload from.
    package var attributionDestination: String
    /// `label`, the text of the link.
    package var label: String
    /// `lifetime-seconds`, within ``lifetimes``.
    package var lifetimeSeconds: Int64

    package init(
        adNetworkID: String, itunesItemID: Int64, sourceIdentifier: Int64, sourceDomains: [String] = [],
        attributionDestination: String, label: String = "Get the app",
        lifetimeSeconds: Int64 = WebAdRequest.standardLifetimeSeconds
    ) {
        self.adNetworkID = adNetworkID
        self.itunesItemID = itunesItemID
        self.sourceIdentifier = sourceIdentifier
        self.sourceDomains = sourceDomains
        self.attributionDestination = attributionDestination
        self.label = label
        self.lifetimeSeconds = lifetimeSeconds
    }
}

extension WebAdRequest {
    /// Checks every value and issues the ad.
    package func checked(nonce: Nonce, issuedAt time: UnixMilliseconds) throws(FieldProblem) -> WebAdLink {
        let content = try WebAdContent(
            adNetworkID: adNetworkID, itunesItemID: itunesItemID, sourceIdentifier: sourceIdentifier)
        guard sourceDomains.count <= Self.maximumDomains else {
            throw FieldProblem(
                field: "source-domains", found: "\(sourceDomains.count) domains",
                expected: "at most \(Self.maximumDomains), or none for any domain")
        }
        var domains: [SourceDomain] = []
        for domain in sourceDomains {
            let checked = try SourceDomain.given(domain, field: "source-domains")
            guard !domains.contains(checked) else {
                throw FieldProblem(
                    field: "source-domains", found: "\"\(domain.shortened(to: 60))\" twice",
                    expected: "each domain once")
            }
            domains.append(checked)
        }
        guard let destination = AttributionDestination(attributionDestination) else {
            throw FieldProblem(
                field: "attribution-destination", found: "\"\(attributionDestination.shortened(to: 60))\"",
                expected: "an origin without path, for example https://network.example")
        }
        guard SignedTextSeparator.admits(label) else {
            throw FieldProblem(
                field: "label", found: "\"\(label.shortened(to: 60))\"", expected: SignedTextSeparator.rule)
        }
        guard Self.lifetimes.contains(lifetimeSeconds) else {
            throw FieldProblem(
                field: "lifetime-seconds", found: String(lifetimeSeconds),
                expected: "a whole number from \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound)")
        }
        // Checked first, because adding to an implausible time could overflow.
        try time.checkIsSignable(field: "issued-at")
        let ad = WebAd(
            nonce: nonce, content: content, sourceDomains: domains, issuedAt: time,
            expiresAt: time.advanced(by: lifetimeSeconds * 1_000))
        return WebAdLink(ad: ad, attributionDestination: destination, label: label)
    }
}

extension WebAdRequest {
    /// Reads an ad server's request: one JSON object with the names that the properties document.
    ///
    /// Unknown names are refused, because a misspelt `source-domains` would allow the ad on every page.
    ///
    /// - Parameter bytes: The JSON text.
    /// - Throws: ``JSONError`` if it is not a JSON object, ``FieldProblem`` for the first invalid field.
    package init(reading bytes: some Collection<UInt8>) throws {
        let fields = try RequestFields(reading: Array(bytes), limit: JSONObject.maximumLength)
        try fields.allow(only: [
            "ad-network-id", "itunes-item-id", "source-identifier", "attribution-destination", "source-domains",
            "label", "lifetime-seconds",
        ])
        // Absent, it allows every page, which null may not have meant.
        if fields.has("source-domains"), !fields.isArray("source-domains"), try fields.string("source-domains") == nil {
            throw fields.problem("source-domains", found: "null", expected: "an array of strings")
        }
        func text(_ name: String, _ expected: String = "a string") throws(FieldProblem) -> String {
            try fields.required(fields.string(name), name, expected)
        }
        func integer(_ name: String, _ expected: String) throws(FieldProblem) -> Int64 {
            try fields.required(fields.integer(name), name, expected)
        }
        self.init(
            adNetworkID: try text("ad-network-id"),
            itunesItemID: try integer("itunes-item-id", "an App Store id"),
            sourceIdentifier: try integer("source-identifier", "a whole number from 0 to 9999"),
            sourceDomains: try fields.strings("source-domains"),
            attributionDestination: try text("attribution-destination", "an origin such as https://network.example"))
        if fields.has("label") {
            label = try text("label")
        }
        if fields.has("lifetime-seconds") {
            lifetimeSeconds = try integer("lifetime-seconds", "a whole number of seconds")
        }
    }
}
