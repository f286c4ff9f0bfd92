/// Valid and invalid signatures in DER.
enum DERWriter {
    /// `SEQUENCE { r, s }` of two non-negative numbers.
    static func signature(_ r: Number, _ s: Number) -> [UInt8] {
        sequence(integer(content(r)) + integer(content(s)))
    }

    static func sequence(_ content: [UInt8]) -> [UInt8] { [0x30] + length(content.count) + content }

    static func integer(_ content: [UInt8]) -> [UInt8] { [0x02] + length(content.count) + content }

    /// The shortest two's complement form.
    static func content(_ number: Number) -> [UInt8] {
        let bytes = number.bytes(1)
        return bytes[0] >= 0x80 ? [0] + bytes : bytes
    }

    static func length(_ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: [UInt8(count)]
        case ..<0x100: [0x81, UInt8(count)]
        default: [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
        }
    }
}
