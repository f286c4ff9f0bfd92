package import StrictJSON

extension WebAdRequest {
    /// Checks every value and issues the ad.
    ///
    /// - Parameters:
    ///   - nonce: A fresh nonce.
    ///   - time: When it is issued.
    /// - Returns: The ad with its link.
    /// - Throws: ``FieldProblem`` naming the first invalid field.
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
