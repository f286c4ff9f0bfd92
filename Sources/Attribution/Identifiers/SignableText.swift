/// A text that stands in a signed text exactly as it was received; the parameter tells one kind from another.
public struct SignableText<Kind>: Hashable, Sendable, CustomStringConvertible {
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
