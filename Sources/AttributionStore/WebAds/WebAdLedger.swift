package import Attribution

/// Where issued web ads are remembered between link and tap, and each nonce is answered once.
///
/// Every method is one transaction; what it returns is durable.
package protocol WebAdLedger: Sendable {
    /// Remembers ads, and forgets some of those whose time was over 30 days ago.
    ///
    /// - Parameters:
    ///   - ads: Ads under fresh nonces; all are remembered or none.
    ///   - now: The present.
    /// - Throws: What the store reports; then none may be handed out.
    func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws

    /// Uses up the nonce of a tap and has its impression signed, in one transaction.
    ///
    /// When it returns a signed impression, the nonce is used up on disk, whether or not the answer reaches the device.
    /// When it throws or refuses, or the process ends before the commit, the nonce is as it was, and the signature was
    /// handed to nobody.
    ///
    /// - Parameters:
    ///   - tap: What the device asks for.
    ///   - now: When it asked; in the payload.
    ///   - sign: Signs the impression.
    /// - Returns: The signed impression, or why there is none.
    /// - Throws: What `sign` throws and what the store reports.
    func answer(
        _ tap: WebAdTap,
        at now: UnixMilliseconds,
        signing sign: @escaping @Sendable (SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression
    ) async throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal>
}
