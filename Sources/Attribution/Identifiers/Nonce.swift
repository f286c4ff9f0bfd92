/// The one-time id of an impression: a version 4 UUID.
///
/// Its text is **lower-case** in what is signed. All versions.
///
/// - SeeAlso: [Signing and providing
///   ads](https://developer.apple.com/documentation/storekit/signing-and-providing-ads)
package struct Nonce: Hashable, Sendable, CustomStringConvertible {
    /// The UUID in lower case with dashes.
    package let text: String

    /// Accepts a version 4 UUID in lower case with dashes; nil for any other text.
    ///
    /// An upper-case UUID is refused, not converted: the caller's other copies of it would no longer match.
    package init?(_ text: String) {
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
    package init(using generator: inout some RandomNumberGenerator) {
        // Two calls, not one a digit: a system generator may ask the kernel each time.
        let words = [generator.next(), generator.next()] as [UInt64]
        var digits: [UInt8] = []
        digits.reserveCapacity(36)
        for place in 0..<32 {
            var digit = Int(truncatingIfNeeded: words[place >> 4] >> (60 - 4 * UInt64(place & 15))) & 15
            switch place {
            case 12: digit = 4
            case 16: digit = 8 | digit & 3
            default: break
            }
            if [8, 12, 16, 20].contains(place) {
                digits.append(UInt8(ascii: "-"))
            }
            digits.append(Self.hexDigits[digit])
        }
        text = String(decoding: digits, as: UTF8.self)
    }

    /// The UUID in lower case with dashes.
    package var description: String {
        text
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
