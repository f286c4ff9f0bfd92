/// An unsigned 256-bit integer in four words, least significant first.
struct UInt256: Equatable, Sendable, BitwiseCopyable {
    var w0: UInt64
    var w1: UInt64
    var w2: UInt64
    var w3: UInt64

    static let zero = UInt256(0, 0, 0, 0)

    @inline(__always)
    init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
        (self.w0, self.w1, self.w2, self.w3) = (w0, w1, w2, w3)
    }

    @inline(__always)
    init(low: UInt128, high: UInt128) {
        w0 = UInt64(truncatingIfNeeded: low)
        w1 = UInt64(truncatingIfNeeded: low >> 64)
        w2 = UInt64(truncatingIfNeeded: high)
        w3 = UInt64(truncatingIfNeeded: high >> 64)
    }

    /// Reads up to 32 big-endian bytes.
    init(bigEndian bytes: Span<UInt8>) {
        precondition(bytes.count <= 32)
        let end = bytes.count
        w0 = Self.word(of: bytes, before: end)
        w1 = Self.word(of: bytes, before: end - 8)
        w2 = Self.word(of: bytes, before: end - 16)
        w3 = Self.word(of: bytes, before: end - 24)
    }

    /// The big-endian word of up to eight bytes before `end`.
    @inline(__always)
    private static func word(of bytes: Span<UInt8>, before end: Int) -> UInt64 {
        if end >= 8 {
            return UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
        }
        var word: UInt64 = 0
        var index = 0
        while index < end {
            word = word << 8 | UInt64(bytes[index])
            index += 1
        }
        return word
    }

    /// The lowest `count` bytes, big-endian.
    func bigEndianBytes(_ count: Int) -> [UInt8] {
        let words = [w0, w1, w2, w3]
        return (0..<count).reversed().map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    @inline(__always)
    var low: UInt128 { UInt128(w1) << 64 | UInt128(w0) }

    @inline(__always)
    var high: UInt128 { UInt128(w3) << 64 | UInt128(w2) }

    @inline(__always)
    var isZero: Bool { w0 | w1 | w2 | w3 == 0 }

    @inline(__always)
    var isOdd: Bool { w0 & 1 == 1 }
}

extension UInt256 {
    @inline(__always)
    func addingReportingOverflow(_ other: UInt256) -> (partialValue: UInt256, overflow: Bool) {
        let (low, carry) = low.addingReportingOverflow(other.low)
        let (first, overflow1) = high.addingReportingOverflow(other.high)
        let (second, overflow2) = first.addingReportingOverflow(carry ? 1 : 0)
        return (UInt256(low: low, high: second), overflow1 != overflow2)
    }

    @inline(__always)
    func subtractingReportingOverflow(_ other: UInt256) -> (partialValue: UInt256, overflow: Bool) {
        let (low, borrow) = low.subtractingReportingOverflow(other.low)
        let (first, overflow1) = high.subtractingReportingOverflow(other.high)
        let (second, overflow2) = first.subtractingReportingOverflow(borrow ? 1 : 0)
        return (UInt256(low: low, high: second), overflow1 != overflow2)
    }

    /// Sum modulo 2²⁵⁶.
    @inline(__always)
    static func &+ (left: UInt256, right: UInt256) -> UInt256 {
        left.addingReportingOverflow(right).partialValue
    }

    /// Difference modulo 2²⁵⁶.
    @inline(__always)
    static func &- (left: UInt256, right: UInt256) -> UInt256 {
        left.subtractingReportingOverflow(right).partialValue
    }

    @inline(__always)
    static func < (left: UInt256, right: UInt256) -> Bool {
        left.subtractingReportingOverflow(right).overflow
    }

    /// Shifts right by 0…63 bits.
    @inline(__always)
    static func >> (value: UInt256, count: Int) -> UInt256 {
        let right = UInt64(truncatingIfNeeded: count)
        let left = 63 &- right
        return UInt256(
            value.w0 &>> right | (value.w1 &<< 1) &<< left, value.w1 &>> right | (value.w2 &<< 1) &<< left,
            value.w2 &>> right | (value.w3 &<< 1) &<< left, value.w3 &>> right)
    }
}

extension UInt64 {
    /// Returns `self · factor + addend + carry` in two words; the sum never exceeds 2¹²⁸ − 1.
    @inline(__always)
    func multiplied(by factor: UInt64, adding addend: UInt64, _ carry: UInt64 = 0) -> (high: UInt64, low: UInt64) {
        let sum = UInt128(self) &* UInt128(factor) &+ UInt128(addend) &+ UInt128(carry)
        return (UInt64(truncatingIfNeeded: sum >> 64), UInt64(truncatingIfNeeded: sum))
    }

    /// All ones for `true`, zero for `false`.
    @inline(__always)
    static func mask(_ condition: Bool) -> UInt64 {
        0 &- (condition ? 1 : 0)
    }
}
