/// Bytes that pack numbers and byte strings: a number in groups of seven bits, the lowest first, the highest bit of a byte
/// saying that more follow; a string after its length.
struct PackedBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Takes what SQLite's `hex` printed.
    init(hex: some StringProtocol) {
        let digits = Array(hex.utf8)
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            })
    }

    /// Takes a byte; nil at the end.
    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    /// Takes a number; nil when it is cut off.
    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst(), shift < 64 {
            number |= UInt64(byte & 0x7f) << shift
            shift += 7
            if byte & 0x80 == 0 {
                return number
            }
        }
        return nil
    }

    /// Takes a string; nil when it is cut off.
    mutating func string() -> [UInt8]? {
        guard let length = number(), length <= UInt64(rest.count) else {
            return nil
        }
        defer { rest = rest.dropFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }

    static func packed(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func packed(_ string: [UInt8]) -> [UInt8] {
        packed(UInt64(string.count)) + string
    }
}
