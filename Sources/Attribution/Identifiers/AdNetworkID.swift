/// The id under which an ad network is registered with Apple, for example `example123.skadnetwork`.
///
/// Registered in lower case, but signed as it stands in the source app's Info.plist and verified as received: letters
/// are never changed. All versions.
///
/// - SeeAlso: [ad-network-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public struct AdNetworkID: Hashable, Sendable, CustomStringConvertible {
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
