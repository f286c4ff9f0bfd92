/// A signed number in five limbs of 62 bits, least significant first; the last has the sign.
struct SignedLimbs {
    static let count = 5
    static let mask: Int64 = 1 << 62 - 1

    private var limbs: InlineArray<5, Int64>

    @inline(__always)
    init(_ number: UInt256) {
        limbs = [
            Int64(bitPattern: number.w0) & Self.mask,
            Int64(bitPattern: number.w0 >> 62 | number.w1 << 2) & Self.mask,
            Int64(bitPattern: number.w1 >> 60 | number.w2 << 4) & Self.mask,
            Int64(bitPattern: number.w2 >> 58 | number.w3 << 6) & Self.mask,
            Int64(bitPattern: number.w3 >> 56),
        ]
    }

    @inline(__always)
    subscript(index: Int) -> Int64 {
        get { limbs[index] }
        set { limbs[index] = newValue }
    }

    /// The lowest 62 bits.
    @inline(__always)
    var low: UInt64 { UInt64(bitPattern: limbs[0]) }

    @inline(__always)
    var isZero: Bool { limbs[0] | limbs[1] | limbs[2] | limbs[3] | limbs[4] == 0 }

    @inline(__always)
    var isNegative: Bool { limbs[4] < 0 }

    /// All ones for a negative number, else zero.
    @inline(__always)
    var signMask: Int64 { limbs[4] >> 63 }

    /// The number, between −2m and m, or its negative modulo m.
    func reduced(negated: Bool, modulus: SignedLimbs) -> UInt256 {
        var number = self
        if number.isNegative { number.add(modulus) }
        if negated { number.negate() }
        if number.isNegative { number.add(modulus) }
        let words = number.limbs
        let (l0, l1, l2) = (UInt64(words[0]), UInt64(words[1]), UInt64(words[2]))
        let (l3, l4) = (UInt64(words[3]), UInt64(words[4]))
        return UInt256(l0 | l1 << 62, l1 >> 2 | l2 << 60, l2 >> 4 | l3 << 58, l3 >> 6 | l4 << 56)
    }

    private mutating func add(_ other: SignedLimbs) {
        for index in 0..<Self.count { limbs[index] += other.limbs[index] }
        carry()
    }

    private mutating func negate() {
        for index in 0..<Self.count { limbs[index] = -limbs[index] }
        carry()
    }

    private mutating func carry() {
        for index in 1..<Self.count {
            limbs[index] += limbs[index - 1] >> 62
            limbs[index - 1] &= Self.mask
        }
    }
}
