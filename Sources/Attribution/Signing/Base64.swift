/// Standard base64 with padding (RFC 4648, section 4), read strictly.
public enum Base64 {
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
    public static func decode(_ text: String) -> [UInt8]? {
        let utf8 = Array(text.utf8)
        guard utf8.count.isMultiple(of: 4) else {
            return nil
        }
        let padding = utf8.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || utf8.last == UInt8(ascii: "=") else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count / 4 * 3)
        var bits: UInt32 = 0
        for (index, byte) in utf8.dropLast(padding).enumerated() {
            let value = values[Int(byte)]
            guard value < 64 else {
                return nil
            }
            bits = bits << 6 | UInt32(value)
            if index % 4 == 3 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        switch padding {
        case 1:
            // 18 bits hold two bytes; the last two bits must be zero, or two texts would mean the same.
            guard bits & 0b11 == 0 else {
                return nil
            }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        case 2:
            guard bits & 0b1111 == 0 else {
                return nil
            }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        default: break
        }
        return bytes
    }

    /// Encodes bytes with padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
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
