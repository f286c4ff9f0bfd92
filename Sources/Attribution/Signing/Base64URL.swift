/// Base64url without padding (RFC 4648, section 5), read strictly: each sequence of bytes has one spelling.
public enum Base64URL {
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
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for byte in text {
            let value = values[Int(byte)]
            guard value < 64 else {
                return nil
            }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> held))
                bits &= (1 << held) - 1
            }
        }
        // Six bits left over are a character too many; any other bit set would make two texts mean the same.
        guard held < 6, bits == 0 else {
            return nil
        }
        return bytes
    }

    /// Encodes bytes without padding.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The text, ASCII.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
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
