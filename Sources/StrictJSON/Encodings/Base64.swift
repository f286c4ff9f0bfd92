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

    /// Decodes a text, or returns nil for bytes outside the alphabet, missing padding, or bits left over.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(utf8: $0) }
    }

    /// Decodes the bytes of a text, or returns nil as for the text.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else {
            return nil
        }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard padding == 0 || text.last == UInt8(ascii: "=") else {
            return nil
        }
        let wholeGroups = padding == 0 ? text.count : text.count - 4
        // Values are below 64; one bit above tells of anything else.
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
                // The last bits that make no byte must be zero, or two texts would mean the same.
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
        // An array of a known type first: a caller of another module passes its collection unspecialised.
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output in
            var count = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let group = bytes[start..<min(start + 3, bytes.count)]
                let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
                for place in 0..<4 {
                    let isDigit = place <= group.count
                    output[count] =
                        isDigit ? alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "=")
                    count += 1
                }
            }
            return count
        }
    }
}
