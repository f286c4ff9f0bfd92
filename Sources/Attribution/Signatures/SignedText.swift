import StrictJSON

/// The text that is signed: values in a fixed order, joined by U+2063, as UTF-8.
package struct SignedText: Hashable, Sendable {
    /// The bytes to hash.
    package private(set) var utf8: [UInt8] = []

    init() {
        utf8.reserveCapacity(192)
    }

    mutating func append(_ value: String) {
        separate()
        utf8.append(utf8Of: value)
    }

    mutating func append(_ value: Int64) {
        separate()
        utf8.append(decimal: value)
    }

    mutating func append(_ value: Bool) {
        append(value ? "true" : "false")
    }

    private mutating func separate() {
        if !utf8.isEmpty {
            utf8.append(contentsOf: SignedTextSeparator.utf8)
        }
    }
}

extension SignedText: CustomStringConvertible {
    /// The text with the invisible separator shown as `|`.
    package var description: String {
        var visible = String.UnicodeScalarView()
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            visible.append(scalar == SignedTextSeparator.scalar ? "|" : scalar)
        }
        return String(visible)
    }
}

/// U+2063 INVISIBLE SEPARATOR, which joins the values that Apple and networks sign.
///
/// No value may contain it, because that would move the boundary between two fields.
///
/// - SeeAlso: [Verifying an install-validation
///   postback](https://developer.apple.com/documentation/storekit/verifying-an-install-validation-postback)
package enum SignedTextSeparator {
    /// The character.
    package static let scalar: Unicode.Scalar = "\u{2063}"
    /// Its UTF-8 bytes.
    package static let utf8: [UInt8] = [0xE2, 0x81, 0xA3]

    /// The rule for values, for messages.
    static let rule = "1 to 255 bytes of text without U+2063 or control characters"
    /// The longest value, in bytes.
    static let longestValue = 255

    /// Whether a value may be signed: 1 to 255 bytes, without the separator or control characters.
    static func admits(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard (1...longestValue).contains(bytes.count) else {
                return false
            }
            var isASCII = true
            for byte in bytes {
                guard byte >= 0x20, byte != 0x7F else {
                    return false
                }
                isASCII = isASCII && byte < 0x80
            }
            return isASCII || !contains(bytes)
        }
    }

    private static func contains(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 2..<max(2, bytes.count)
        where bytes[index] == utf8[2] && bytes[index - 1] == utf8[1] && bytes[index - 2] == utf8[0] {
            return true
        }
        return false
    }
}
