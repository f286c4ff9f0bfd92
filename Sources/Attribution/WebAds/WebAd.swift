package import StrictJSON

/// A web ad as it was issued: the nonce in its link, what it advertises, where and until when it may be tapped.
package struct WebAd: Hashable, Sendable {
    /// The nonce; each is answered once.
    package let nonce: Nonce
    /// What is signed on a tap.
    package let content: WebAdContent
    /// The domains (eTLD+1) whose pages may show it, compared as written; empty for any domain.
    package let sourceDomains: [SourceDomain]
    /// When it was issued, in Unix milliseconds.
    package let issuedAtMilliseconds: Int64
    /// The first Unix millisecond at which it is no longer answered.
    package let expiresAtMilliseconds: Int64

    /// Joins the values of an ad; ``WebAdRequest`` checks them.
    init(
        nonce: Nonce,
        content: WebAdContent,
        sourceDomains: [SourceDomain],
        issuedAtMilliseconds: Int64,
        expiresAtMilliseconds: Int64
    ) {
        self.nonce = nonce
        self.content = content
        self.sourceDomains = sourceDomains
        self.issuedAtMilliseconds = issuedAtMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
    }

    /// The impression a tap would make at the time of issue: what cannot be signed need not be handed out.
    ///
    /// - Returns: The impression, on the first domain the ad may be shown on.
    /// - Throws: ``FieldProblem`` for a value out of its range.
    package func sampleImpression() throws(FieldProblem) -> Impression {
        let domain: SourceDomain
        if let first = sourceDomains.first {
            domain = first
        } else {
            domain = try SourceDomain.checked("example.com", field: "source-domains")
        }
        return try content.impression(
            nonce: nonce, sourceDomain: domain, timestampMilliseconds: issuedAtMilliseconds)
    }
}
