/// The identity of a postback; Apple signs every part except the framework.
///
/// Apple does not document whether the windows of an install share an id. With the signed sequence index in the key,
/// each window is counted once either way.
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
