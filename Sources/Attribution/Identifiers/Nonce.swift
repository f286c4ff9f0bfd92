/// The one-time id of an impression: a version 4 UUID.
///
/// Its text is **lower-case** in what is signed. All versions.
///
/// - SeeAlso: [Signing and providing
///   ads](https://developer.apple.com/documentation/storekit/signing-and-providing-ads)
public struct Nonce: Hashable, Sendable, CustomStringConvertible {
    /// The UUID in lower case with dashes.
    public let text: String

    /// Accepts a version 4 UUID in lower case with dashes; nil for any other text.
    ///
    /// An upper-case UUID is refused, not converted: the caller's other copies of it would no longer match.
    public init?(_ text: String) {
        let pattern = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
        guard text.utf8.count == pattern.utf8.count else {
            return nil
        }
        for (byte, place) in zip(text.utf8, pattern.utf8) {
            let fits =
                switch place {
                case UInt8(ascii: "x"): Self.hexDigits.contains(byte)
                case UInt8(ascii: "y"): Array("89ab".utf8).contains(byte)
                default: byte == place
                }
            guard fits else {
                return nil
            }
        }
        self.text = text
    }

    /// Makes a nonce from 16 random bytes, of which six bits are set to what version 4 wants.
    ///
    /// - Parameter generator: The source of randomness; a system generator for real impressions.
    public init(using generator: inout some RandomNumberGenerator) {
        var digits = (0..<32).map { _ in Self.hexDigits[Int.random(in: 0..<16, using: &generator)] }
        digits[12] = UInt8(ascii: "4")
        digits[16] = Array("89ab".utf8)[Int.random(in: 0..<4, using: &generator)]
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        self.text = groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }

    /// The UUID in lower case with dashes.
    public var description: String {
        text
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
