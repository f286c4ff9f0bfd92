package import Attribution

/// The id of a postback that was counted before the store was made, whose bytes nobody has any more.
///
/// It claims the id, so that a device's repeat is not counted a second time, and never counts itself. Letter case does
/// not matter, for other systems rarely keep it; nor does whose key verified the postback.
package struct KnownID: Hashable, Sendable {
    /// What is stored of it.
    package let digest: Digest16

    /// Takes what is stored.
    package init(digest: Digest16) {
        self.digest = digest
    }

    /// Names a postback.
    ///
    /// - Parameters:
    ///   - network: `ad-network-id` or `ad-network-identifier`.
    ///   - transaction: `transaction-id` or `postback-identifier`.
    ///   - sequenceIndex: `postback-sequence-index`; nil for a postback of a version without one, which is taken for
    ///     the first window's.
    package init(network: String, transaction: String, sequenceIndex: Int64? = nil) {
        var digester = PostbackDigester()
        digest = digester.digest(of: [
            "known-id", network.lowercased(), transaction.lowercased(), "\(sequenceIndex ?? 0)",
        ])
    }

    /// Names a postback that was received.
    package init(_ key: PostbackKey) {
        self.init(
            network: key.adNetworkID.text, transaction: key.transactionID.text, sequenceIndex: key.sequenceIndex)
    }
}
