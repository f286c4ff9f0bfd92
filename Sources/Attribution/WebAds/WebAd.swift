package import StrictJSON

/// A web ad as it was issued: the nonce in its link, what it advertises, where and until when it may be tapped.
package struct WebAd: Hashable, Sendable {
    /// The nonce; each is answered once.
    package let nonce: Nonce
    /// What is signed on a tap.
    package let content: WebAdContent
    /// The domains (eTLD+1) whose pages may show it, compared as written; empty for any domain.
    package let sourceDomains: [SourceDomain]
    /// When it was issued.
    package let issuedAt: UnixMilliseconds
    /// The first millisecond at which it is no longer answered.
    package let expiresAt: UnixMilliseconds

    /// Joins the values of an ad; ``WebAdRequest`` checks them.
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

    /// The impression a tap would make at the time of issue, to try whether a key signs for the ad.
    ///
    /// - Returns: The impression, on the first domain the ad may be shown on.
    /// - Throws: ``FieldProblem`` for a time that a device would not believe.
    package func sampleImpression() throws(FieldProblem) -> SKAdNetworkImpression {
        let domain: SourceDomain
        if let first = sourceDomains.first {
            domain = first
        } else {
            domain = try SourceDomain.checked("example.com", field: "source-domains")
        }
        return try content.impression(nonce: nonce, sourceDomain: domain, at: issuedAt)
    }
}
