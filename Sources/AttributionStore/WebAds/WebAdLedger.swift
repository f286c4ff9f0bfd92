package import Attribution

/// Stores issued web ads until they are tapped, and answers each nonce once.
///
/// Every method is one transaction, which is durable when the method returns.
package protocol WebAdLedger: Sendable {
    /// Stores ads, and deletes some of those that expired more than 30 days ago.
    ///
    /// - Parameters:
    ///   - ads: Ads with new nonces; either all of them are stored or none.
    ///   - now: The current time.
    /// - Throws: Errors of the store; none of the ads may be handed out.
    func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws

    /// Uses up the nonce of a tap and has its impression signed, in one transaction.
    ///
    /// If it returns a signed impression, the nonce is used up on disk, whether or not the answer reaches the device.
    /// If it throws or refuses, or the process ends before the commit, the nonce stays unused and no signature was
    /// returned.
    ///
    /// - Parameters:
    ///   - tap: The device's request.
    ///   - now: When it was received; the payload's timestamp.
    ///   - sign: Signs the impression.
    /// - Returns: The signed impression, or why there is none.
    /// - Throws: What `sign` throws, and errors of the store.
    func answer(
        _ tap: WebAdTap,
        at now: UnixMilliseconds,
        signing sign: @escaping @Sendable (SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression
    ) async throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal>
}
