package import StrictJSON

/// An issued web ad.
package struct WebAd: Hashable, Sendable {
    /// The nonce in its link; it can be used once.
    package let nonce: Nonce
    /// The values that are signed on a tap.
    package let content: WebAdContent
    /// The domains (eTLD+1) whose pages may show it, compared exactly; empty for any domain.
    package let sourceDomains: [SourceDomain]
    /// When it was issued.
    package let issuedAt: UnixMilliseconds
    /// When it expires.
    package let expiresAt: UnixMilliseconds

    /// Makes an ad from values that ``WebAdRequest`` checked.
    init(
        nonce: Nonce,
        content: WebAdContent,
        sourceDomains: [SourceDomain],
        issuedAt: UnixMilliseconds,
        expiresAt: UnixMilliseconds
    ) {
        self.nonce = nonce
        self.content = content
        self.sourceDomains = sourceDomains
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The impression of a tap at the time of issue, to check whether a key can sign the ad.
    ///
    /// - Returns: The impression on the first of ``sourceDomains``.
    /// - Throws: ``FieldProblem`` for an implausible time.
    package func sampleImpression() throws(FieldProblem) -> SKAdNetworkImpression {
        let domain: SourceDomain
        if let first = sourceDomains.first {
            domain = first
        } else {
            domain = try SourceDomain.given("example.com", field: "source-domains")
        }
        return try content.impression(nonce: nonce, sourceDomain: domain, at: issuedAt)
    }
}
