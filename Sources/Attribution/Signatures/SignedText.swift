/// The text that is signed: values in a fixed order, joined by U+2063, as UTF-8.
package struct SignedText: Hashable, Sendable {
    /// The bytes to hash.
    package private(set) var utf8: [UInt8] = []

    init() {
        utf8.reserveCapacity(192)
    }

    mutating func append(_ value: String) {
        separate()
        var value = value
        value.withUTF8 { utf8.append(contentsOf: $0) }
    }

    mutating func append(_ value: Int64) {
        separate()
        if value < 0 {
            utf8.append(UInt8(ascii: "-"))
        }
        // From the last digit to the first; a 64-bit number has at most 20.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
        for index in first..<digits.count {
            utf8.append(digits[index])
        }
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
