/// What makes a postback one and the same: every part but the framework is signed by Apple.
///
/// Whether the three windows of an install share one id is not documented; with the signed sequence index in the key,
/// both readings count each window once.
package struct PostbackKey: Hashable, Sendable {
    /// The framework.
    package let framework: PostbackFramework
    /// `ad-network-id` or `ad-network-identifier` as received.
    package let adNetworkID: AdNetworkID
    /// `transaction-id` or `postback-identifier` as received.
    package let transactionID: TransactionID
    /// `postback-sequence-index`, or nil in versions without one.
    package let sequenceIndex: Int64?
}
