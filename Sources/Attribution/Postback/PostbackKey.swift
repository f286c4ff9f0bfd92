/// What makes a postback one and the same: every part but the framework is signed by Apple.
///
/// Whether the three windows of an install share one id is not documented; with the signed sequence index in the key,
/// both readings count each window once.
public struct PostbackKey: Hashable, Sendable {
    /// The framework.
    public let framework: PostbackFramework
    /// `ad-network-id` or `ad-network-identifier` as received.
    public let adNetworkID: AdNetworkID
    /// `transaction-id` or `postback-identifier` as received.
    public let transactionID: TransactionID
    /// `postback-sequence-index`, or nil in versions without one.
    public let sequenceIndex: Int64?
}
