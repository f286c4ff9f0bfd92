/// The id of one install validation, by which repeats are discarded.
///
/// A UUID in upper or lower case, compared as received, for its text is signed. All versions.
///
/// - SeeAlso: [transaction-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public struct TransactionID: Hashable, Sendable, CustomStringConvertible {
    /// The text as received.
    public let text: String

    /// Accepts a text of 1 to 255 bytes without U+2063 and control characters; nil for any other.
    public init?(_ text: String) {
        guard SignedTextSeparator.admits(text) else {
            return nil
        }
        self.text = text
    }

    /// The text as received.
    public var description: String {
        text
    }
}
