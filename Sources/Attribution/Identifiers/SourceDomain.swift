/// The registrable domain (eTLD+1) of the web page that showed a web ad.
///
/// Version 4.0 only; in a postback only at the highest data tier.
///
/// - SeeAlso: [source-domain](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public struct SourceDomain: Hashable, Sendable, CustomStringConvertible {
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
