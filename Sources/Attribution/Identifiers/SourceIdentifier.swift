/// The hierarchical source identifier of version 4.0: two, three or four decimal digits.
///
/// A text, not a number: in a postback a leading zero is significant. A device shortens it from the left, so the
/// two-digit form is the **last** two of the four digits (5239 → 239 → 39).
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
public struct SourceIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The digits as received.
    public let digits: String

    /// Accepts two to four decimal digits; nil for any other text.
    public init?(_ digits: String) {
        guard (2...4).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            return nil
        }
        self.digits = digits
    }

    /// The last `count` digits, or nil when the identifier has fewer.
    public func suffix(_ count: Int) -> String? {
        digits.utf8.count < count ? nil : String(digits.suffix(count))
    }

    /// The digits as received.
    public var description: String {
        digits
    }
}
