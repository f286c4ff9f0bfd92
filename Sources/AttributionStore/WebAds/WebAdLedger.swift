package import Attribution

/// Stores issued web ads until they are tapped, and answers each nonce once.
///
/// Every method is one transaction, which is durable when the method returns.
package protocol WebAdLedger: Sendable {
    /// Stores ads, and deletes some of those that expired more than 30 days ago.
    ///
    /// - Throws: Errors of the store; none of the ads may be handed out.
    func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws

    /// Uses up the nonces of taps and has their impressions signed, all in one transaction, on the calling thread.
    ///
    /// The nonce of a signed impression is used up on disk, whether or not the answer reaches the device. All other
    /// nonces stay as they are. If it throws, or the process ends before the commit, no nonce is used up and no signature
    /// was returned.
    ///
    /// - Returns: The answers, in the same order.
    /// - Throws: Errors of the store.
    func answer(_ taps: [ReceivedTap], signing sign: TapGroup.Sign) throws -> [TapAnswer]
}

/// A ledger of web ads that a server keeps open.
package protocol WebAdWriting: WebAdLedger {
    var health: StoreHealth { get }

    /// Looks after the store; to be called each second.
    func heartbeat()

    /// Waits a moment at most from now on for what others hold, locks and standbys.
    func prepareToClose()

    /// Closes the store; every method fails afterwards.
    @discardableResult
    func close() throws -> StoreEnding
}
