/// Base64url without padding (RFC 4648, section 5), read strictly: each byte sequence has exactly one encoding.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte, 255 for a byte outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() {
            values[Int(byte)] = UInt8(value)
        }
        return values
    }()

    /// Decodes ASCII text, or returns nil for padding, bytes outside the alphabet, an impossible length, or nonzero
    /// trailing bits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable(decode(utf8:)) ?? Array(text).withUnsafeBufferPointer(decode(utf8:))
    }

    /// Decodes a text given as UTF-8, with the same rules.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        // A single remaining character cannot encode a byte.
        guard rest != 1 else {
            return nil
        }
        // Valid values are below 64, so a higher bit reveals any other byte.
        var seen: UInt8 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { output, count in
            values.withUnsafeBufferPointer { values in
                var index = 0
                while index + 4 <= text.count {
                    let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
                    let (c, d) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
                    seen |= a | b | c | d
                    output[count] = a << 2 | b >> 4
                    output[count + 1] = b << 4 | c >> 2
                    output[count + 2] = c << 6 | d
                    count += 3
                    index += 4
                }
                guard rest > 0 else {
                    return
                }
                let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
                let c = rest == 3 ? values[Int(text[index + 2])] : 0
                // Trailing bits must be zero, or two texts would decode to the same bytes.
                let unused = rest == 3 ? c & 0b11 : b & 0b1111
                seen |= a | b | c | (unused == 0 ? 0 : 255)
                output[count] = a << 2 | b >> 4
                count += 1
                if rest == 3 {
                    output[count] = b << 4 | c >> 2
                    count += 1
                }
            }
        }
        return seen < 64 ? bytes : nil
    }

    /// Encodes bytes without padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                output.append(alphabet[Int(bits >> bitCount)])
                bits &= (1 << bitCount) - 1
            }
        }
        if bitCount > 0 {
            output.append(alphabet[Int(bits << (6 - bitCount))])
        }
        return String(decoding: output, as: UTF8.self)
    }
}
