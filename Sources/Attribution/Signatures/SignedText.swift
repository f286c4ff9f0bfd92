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
