/// Standard base64 with padding (RFC 4648, section 4), read strictly.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each byte, 255 for a byte outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() {
            values[Int(byte)] = UInt8(value)
        }
        return values
    }()

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
        let wholeGroups = padding == 0 ? text.count : text.count - 4
        // Valid values are below 64, so a higher bit reveals any other byte.
        var seen: UInt8 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { output, count in
            values.withUnsafeBufferPointer { values in
                for start in stride(from: 0, to: wholeGroups, by: 4) {
                    let (a, b) = (values[Int(text[start])], values[Int(text[start + 1])])
                    let (c, d) = (values[Int(text[start + 2])], values[Int(text[start + 3])])
                    seen |= a | b | c | d
                    output[count] = a << 2 | b >> 4
                    output[count + 1] = b << 4 | c >> 2
                    output[count + 2] = c << 6 | d
                    count += 3
                }
                guard padding > 0 else {
                    return
                }
                let (a, b) = (values[Int(text[wholeGroups])], values[Int(text[wholeGroups + 1])])
                let c = padding == 1 ? values[Int(text[wholeGroups + 2])] : 0
                // Trailing bits must be zero, or two texts would decode to the same bytes.
                let rest = padding == 1 ? c & 0b11 : b & 0b1111
                seen |= a | b | c | (rest == 0 ? 0 : 255)
                output[count] = a << 2 | b >> 4
                count += 1
                if padding == 1 {
                    output[count] = b << 4 | c >> 2
                    count += 1
                }
            }
        }
        return seen < 64 ? bytes : nil
    }

    /// Encodes bytes with padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        // Copied into an array because callers in other modules pass an unspecialized collection.
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output in
            var count = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let group = bytes[start..<min(start + 3, bytes.count)]
                let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
                for index in 0..<4 {
                    let isDigit = index <= group.count
                    output[count] =
                        isDigit ? alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "=")
                    count += 1
                }
            }
            return count
        }
    }
}
