package import Attribution
package import AttributionSigning
package import AttributionStore
import Metrics

/// Issues web ads: each under a fresh nonce, remembered before its link is handed out.
package struct WebAdIssuer: Sendable {
    private let ledger: any WebAdLedger
    private let signer: CurrentSigner?

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - ledger: Remembers the ads.
    ///   - signer: Must have a key for the network of every ad; nil where the keys are somewhere else.
    package init(ledger: any WebAdLedger, signer: CurrentSigner? = nil) {
        self.ledger = ledger
        self.signer = signer
    }

    /// Issues ads that differ in their nonces alone.
    ///
    /// - Parameters:
    ///   - request: What they advertise, and where.
    ///   - count: How many.
    ///   - issuedAt: From when their lifetime runs; nil for now.
    ///   - now: The present.
    /// - Returns: Their links; the ads are on disk.
    /// - Throws: ``Attribution/FieldProblem`` for a bad value, ``AttributionSigning/KeyProblem`` when no key signs for
    ///   the network, and what the store reports.
    package func issue(
        _ request: WebAdRequest,
        count: Int = 1,
        issuedAt: UnixMilliseconds? = nil,
        now: UnixMilliseconds
    ) async throws -> [WebAdLink] {
        var generator = SystemRandomNumberGenerator()
        var links: [WebAdLink] = []
        for _ in 0..<count {
            links.append(try request.checked(nonce: Nonce(using: &generator), issuedAt: issuedAt ?? now))
        }
        if let signer = signer?.signer, let first = links.first {
            // Signed once in vain: a network without a key is found out now and not by the first tap.
            _ = try signer.sign(try first.ad.sampleImpression())
        }
        try await ledger.issue(links.map(\.ad), at: now)
        Counter(label: "skan_web_ads_issued_total").increment(by: Int64(count))
        return links
    }
}
