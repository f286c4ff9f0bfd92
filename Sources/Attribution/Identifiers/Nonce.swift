import StrictJSON

/// The one-time id of an impression: a version 4 UUID.
///
/// Signed in **lower case**. All versions.
///
/// - SeeAlso: [Signing and providing
///   ads](https://developer.apple.com/documentation/storekit/signing-and-providing-ads)
package struct Nonce: Hashable, Sendable, CustomStringConvertible {
    /// The UUID in lower case with dashes.
    package let text: String

    /// Accepts a version 4 UUID in lower case with dashes; nil for any other text.
    ///
    /// An upper-case UUID is refused, not converted, because the caller's copy of it would no longer match.
    package init?(_ text: String) {
        let pattern = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
        guard text.utf8.count == pattern.utf8.count else {
            return nil
        }
        for (byte, expected) in zip(text.utf8, pattern.utf8) {
            let fits =
                switch expected {
                case UInt8(ascii: "x"): Self.hexDigits.contains(byte)
                case UInt8(ascii: "y"): Array("89ab".utf8).contains(byte)
                default: byte == expected
                }
            guard fits else {
                return nil
            }
        }
        self.text = text
    }

    package init(using generator: inout some RandomNumberGenerator) {
        // Two calls, not one per digit: a system generator may make a system call each time.
        text = Self.text(of: [generator.next(), generator.next()])
    }

    /// Makes a nonce that begins with a number of 60 bits, around the version; its other 62 bits are random.
    ///
    /// Nonces sort like their numbers. Where a nonce is a key on disk, those made one after the other then lie together.
    package init(numbered number: UInt64, using generator: inout some RandomNumberGenerator) {
        // The version is between the first 48 bits and the other twelve.
        text = Self.text(of: [number << 4 & ~0xFFFF | number & 0xFFF, generator.next()])
    }

    private static func text(of words: InlineArray<2, UInt64>) -> String {
        String(unsafeUninitializedCapacity: 36) { digits in
            var count = 0
            for index in 0..<32 {
                var digit = UInt8(truncatingIfNeeded: words[index >> 4] >> (60 - 4 * UInt64(index & 15))) & 15
                switch index {
                case 12: digit = 4
                case 16: digit = 8 | digit & 3
                default: break
                }
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    digits[count] = UInt8(ascii: "-")
                    count += 1
                }
                digits[count] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
                count += 1
            }
            return count
        }
    }

    /// The UUID in lower case with dashes.
    package var description: String { text }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// The encoding of a nonce in web ads: base64url (RFC 4648, section 5) of the UUID's 16 bytes.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
extension Nonce {
    /// The UUID's 16 bytes as base64url without padding, 22 characters.
    package var base64URL: String {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
        return Base64URL.encode(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// Reads base64url with or without padding; nil for any other text, and for bytes that are not a version 4 UUID.
    ///
    /// The unused trailing bits must be zero: otherwise sixteen texts would name the same nonce.
    package init?(base64URL: String) {
        let isPadded = base64URL.utf8.count == 24 && base64URL.hasSuffix("==")
        guard let bytes = Base64URL.decode(base64URL.utf8.dropLast(isPadded ? 2 : 0)), bytes.count == 16 else {
            return nil
        }
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) {
                text += "-"
            }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        self.init(text)
    }
}
