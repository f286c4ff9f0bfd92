/// A ledger of web ads that a server keeps open.
package protocol WebAdWriting: WebAdLedger {
    /// Whether the last commit succeeded.
    var health: StoreHealth { get }

    /// Looks after the store; to be called each second.
    func heartbeat()

    /// Waits a moment at most from now on for what others hold, locks and standbys.
    func prepareToClose()

    /// Closes the store; every method fails afterwards.
    ///
    /// - Returns: How it was left.
    @discardableResult
    func close() throws -> StoreEnding
}
