/// The country of the App Store a conversion came from: two capital letters of ISO 3166-1.
///
/// Only at the highest data tier, and never signed.
///
/// - SeeAlso: [country-code](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
public struct CountryCode: Hashable, Sendable, CustomStringConvertible {
    /// The letters as received.
    public let text: String

    /// Accepts two letters from A to Z; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            return nil
        }
        self.text = text
    }

    /// The letters as received.
    public var description: String {
        text
    }
}
