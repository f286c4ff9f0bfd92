/// Base64url without padding (RFC 4648, section 5), read strictly: each sequence of bytes has one spelling.
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

    /// Decodes a text, or returns nil for padding, bytes outside the alphabet, an impossible length, or bits left over.
    ///
    /// - Parameter text: The text, ASCII.
    /// - Returns: The bytes.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable(decode(utf8:)) ?? Array(text).withUnsafeBufferPointer(decode(utf8:))
    }

    /// Decodes the bytes of a text, or returns nil as for the text.
    package static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        // A single character left over makes no byte.
        guard rest != 1 else {
            return nil
        }
        // Values are below 64; one bit above tells of anything else.
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
                // The last bits that make no byte must be zero, or two texts would mean the same.
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
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The text, ASCII.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                output.append(alphabet[Int(bits >> held)])
                bits &= (1 << held) - 1
            }
        }
        if held > 0 {
            output.append(alphabet[Int(bits << (6 - held))])
        }
        return String(decoding: output, as: UTF8.self)
    }
}
