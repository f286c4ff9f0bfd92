package import Attribution
package import AttributionSigning
package import AttributionStore
import Metrics

/// Issues web ads, each with a new nonce, and stores them before it returns their links.
package struct WebAdIssuer: Sendable {
    private let ledger: any WebAdLedger
    private let signer: CurrentSigner

    package init(ledger: any WebAdLedger, signer: CurrentSigner) {
        self.ledger = ledger
        self.signer = signer
    }

    /// Issues ads that differ only in their nonces.
    ///
    /// - Parameters:
    ///   - request: What they advertise, and where.
    ///   - count: How many.
    ///   - issuedAt: The start of their lifetime; nil for now.
    ///   - now: The current time.
    /// - Returns: Their links; the ads are on disk.
    /// - Throws: ``Attribution/FieldProblem`` for an invalid value, ``AttributionSigning/KeyProblem`` if there is no
    ///   key for the network, and errors of the store.
    package func issue(
        _ request: WebAdRequest,
        count: Int = 1,
        issuedAt: UnixMilliseconds? = nil,
        now: UnixMilliseconds
    ) async throws -> [WebAdLink] {
        var generator = SystemRandomNumberGenerator()
        var links: [WebAdLink] = []
        for index in 0..<count {
            // Ads issued one after the other are then neighbours on disk; with random nonces, each tap would change a
            // page of its own. The number is the time and the index, which may run into the next milliseconds.
            let number = UInt64(truncatingIfNeeded: now.rawValue) << 12 &+ UInt64(index)
            links.append(
                try request.checked(
                    nonce: Nonce(numbered: number, using: &generator), issuedAt: issuedAt ?? now))
        }
        if let first = links.first {
            // A missing key is found now rather than at the first tap.
            _ = try signer.signer.signer(for: .skAdNetwork(try first.ad.sampleImpression()))
        }
        try await ledger.issue(links.map(\.ad), at: now)
        Counter(label: "skan_web_ads_issued_total").increment(by: Int64(count))
        return links
    }
}
