/// Standard base64 with padding (RFC 4648, section 4), read strictly.
package enum Base64 {
    /// Decodes a text, or returns nil for bytes outside the alphabet, missing padding, or nonzero trailing bits.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(utf8: $0) }
    }

    /// Decodes a text given as UTF-8, with the same rules.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else {
            return nil
        }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard padding == 0 || text.last == UInt8(ascii: "=") else {
            return nil
        }
        return Base64Alphabet.standard.decode(UnsafeBufferPointer(rebasing: text.dropLast(padding)))
    }

    /// Encodes bytes with padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.standard.encode(bytes, isPadded: true)
    }
}

/// Base64url without padding (RFC 4648, section 5), read strictly: each byte sequence has exactly one encoding.
package enum Base64URL {
    /// Decodes ASCII text, or returns nil for padding, bytes outside the alphabet, an impossible length, or nonzero
    /// trailing bits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable(decode(utf8:)) ?? Array(text).withUnsafeBufferPointer(decode(utf8:))
    }

    /// Decodes a text given as UTF-8, with the same rules.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.decode(text)
    }

    /// Encodes bytes without padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.url.encode(bytes, isPadded: false)
    }

    /// Encodes bytes without padding at the end of a text.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        Base64Alphabet.url.append(bytes, to: &text, isPadded: false)
    }
}

/// The digits of one form of base64 (RFC 4648), and what both forms have in common: everything but the padding.
struct Base64Alphabet: Sendable {
    /// Standard base64, section 4.
    static let standard = Base64Alphabet("+/")
    /// Base64url, section 5.
    static let url = Base64Alphabet("-_")

    private let digits: [UInt8]
    /// The value of each byte, 255 for a byte outside the alphabet.
    private let values: [UInt8]

    private init(_ last: String) {
        digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in digits.enumerated() {
            values[Int(byte)] = UInt8(value)
        }
        self.values = values
    }

    /// Decodes digits without padding.
    ///
    /// - Returns: The bytes; nil for bytes outside the alphabet, an impossible length, or nonzero trailing bits.
    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        // A single remaining digit cannot encode a byte.
        guard text.count % 4 != 1 else {
            return nil
        }
        // Valid values are below 64, so a higher bit reveals any other byte.
        var seen: UInt8 = 0
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { output, count in
            values.withUnsafeBufferPointer { values in
                for byte in text {
                    let value = values[Int(byte)]
                    seen |= value
                    bits = bits << 6 | UInt32(value & 63)
                    pending += 6
                    if pending >= 8 {
                        pending -= 8
                        output[count] = UInt8(truncatingIfNeeded: bits >> pending)
                        count += 1
                    }
                }
            }
        }
        // Trailing bits must be zero, or two texts would decode to the same bytes.
        return seen < 64 && bits & (1 << pending - 1) == 0 ? bytes : nil
    }

    func encode(_ bytes: some Collection<UInt8>, isPadded: Bool) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text, isPadded: isPadded)
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes at the end of a text.
    func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8], isPadded: Bool) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(digits[Int(bits >> pending & 63)])
            }
        }
        if pending > 0 {
            text.append(digits[Int(bits << (6 - pending) & 63)])
        }
        if isPadded {
            text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (3 - bytes.count % 3) % 3))
        }
    }
}
