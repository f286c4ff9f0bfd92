/// The field of P-192, p = 2¹⁹² − 2⁶⁴ − 1, in three words, least significant first.
struct P192Field: PrimeField {
    private var w0: UInt64
    private var w1: UInt64
    private var w2: UInt64

    @inline(__always)
    private init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64) {
        (self.w0, self.w1, self.w2) = (w0, w1, w2)
    }

    @inline(__always)
    private static var modulus: Modulus {
        Modulus(UInt256(.max, .max - 1, .max, 0), negatedInverse: 1, squaredRadix: UInt256(2, 3, 2, 0))
    }

    static var prime: UInt256 { modulus.value }

    static var zero: P192Field { P192Field(0, 0, 0) }

    static var one: P192Field { P192Field(1, 0, 0) }

    init(_ number: UInt256) {
        self.init(number.w0, number.w1, number.w2)
    }

    var number: UInt256 { UInt256(w0, w1, w2, 0) }

    @inline(__always)
    var isZero: Bool { w0 | w1 | w2 == 0 }

    var inverse: P192Field { P192Field(Self.modulus.inverse(of: number)) }

    @inline(__always)
    private var low: UInt128 { UInt128(w1) << 64 | UInt128(w0) }

    @inline(__always)
    static func + (left: P192Field, right: P192Field) -> P192Field {
        let (low, carry) = left.low.addingReportingOverflow(right.low)
        let high = UInt128(left.w2) &+ UInt128(right.w2) &+ (carry ? 1 : 0)
        return P192Field(low: low, high: high)
    }

    @inline(__always)
    static func - (left: P192Field, right: P192Field) -> P192Field {
        let (low, borrow) = left.low.subtractingReportingOverflow(right.low)
        let high = UInt128(left.w2) &- UInt128(right.w2) &- (borrow ? 1 : 0)
        // A negative difference leaves the words 2¹⁹² too large; adding p subtracts 2⁶⁴ + 1.
        let negative = UInt64(truncatingIfNeeded: high >> 64) & 1
        let excess = UInt128(negative) << 64 | UInt128(negative)
        let (mended, borrow2) = low.subtractingReportingOverflow(excess)
        let top = UInt64(truncatingIfNeeded: high) &- (borrow2 ? 1 : 0)
        return P192Field(UInt64(truncatingIfNeeded: mended), UInt64(truncatingIfNeeded: mended >> 64), top)
    }

    @inline(__always)
    func negated(_ mask: UInt64) -> P192Field {
        // p − y is the complement of y, plus p + 1, which is 2¹⁹² − 2⁶⁴: one less in the words above the lowest.
        let flipped = UInt256(w1 ^ mask, w2 ^ mask, 0, 0).low &- UInt128(mask & 1)
        return P192Field(w0 ^ mask, UInt64(truncatingIfNeeded: flipped), UInt64(truncatingIfNeeded: flipped >> 64))
    }

    @inline(__always)
    static func * (a: P192Field, b: P192Field) -> P192Field {
        let (a0, t0) = a.w0.multiplied(by: b.w0, adding: 0)
        let (a1, t1) = a.w1.multiplied(by: b.w0, adding: a0)
        let (t3, t2) = a.w2.multiplied(by: b.w0, adding: a1)

        let (b0, u1) = a.w0.multiplied(by: b.w1, adding: t1)
        let (b1, u2) = a.w1.multiplied(by: b.w1, adding: t2, b0)
        let (u4, u3) = a.w2.multiplied(by: b.w1, adding: t3, b1)

        let (c0, v2) = a.w0.multiplied(by: b.w2, adding: u2)
        let (c1, v3) = a.w1.multiplied(by: b.w2, adding: u3, c0)
        let (v5, v4) = a.w2.multiplied(by: b.w2, adding: u4, c1)
        return reduce(t0, u1, v2, v3, v4, v5)
    }

    @inline(__always)
    var squared: P192Field {
        // The three mixed products, doubled, and the three squares.
        let (a1, t1) = w0.multiplied(by: w1, adding: 0)
        let (a2, t2) = w0.multiplied(by: w2, adding: a1)
        let (t4, t3) = w1.multiplied(by: w2, adding: a2)
        let low = UInt256(0, t1 &<< 1, t2 &<< 1 | t1 &>> 63, t3 &<< 1 | t2 &>> 63)
        let high = UInt128(t4 &>> 63) << 64 | UInt128(t4 &<< 1 | t3 &>> 63)
        let squares = UInt256(low: UInt128(w0) &* UInt128(w0), high: UInt128(w1) &* UInt128(w1))
        let (sum, carry) = low.addingReportingOverflow(squares)
        let top = high &+ UInt128(w2) &* UInt128(w2) &+ (carry ? 1 : 0)
        return Self.reduce(
            sum.w0, sum.w1, sum.w2, sum.w3, UInt64(truncatingIfNeeded: top), UInt64(truncatingIfNeeded: top >> 64))
    }

    /// Reduces a product of six words: 2¹⁹² ≡ 2⁶⁴ + 1 folds t₃, t₄ and t₅ onto the three words below.
    @inline(__always)
    private static func reduce(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64
    ) -> P192Field {
        let s0 = UInt128(t0) &+ UInt128(t3) &+ UInt128(t5)
        let s1 = UInt128(t1) &+ UInt128(t3) &+ UInt128(t4) &+ UInt128(t5) &+ s0 >> 64
        let s2 = UInt128(t2) &+ UInt128(t4) &+ UInt128(t5) &+ s1 >> 64
        // The part above 2¹⁹² is at most 3 and is folded once more.
        let excess = s2 >> 64
        let low = UInt256(UInt64(truncatingIfNeeded: s0), UInt64(truncatingIfNeeded: s1), 0, 0).low
        let (sum, carry) = low.addingReportingOverflow(excess << 64 | excess)
        return P192Field(low: sum, high: UInt128(UInt64(truncatingIfNeeded: s2)) &+ (carry ? 1 : 0))
    }

    /// Reduces low + 2¹²⁸·high, a number below 2p: adding 2⁶⁴ + 1 carries past 2¹⁹² exactly when it is not below p.
    @inline(__always)
    private init(low: UInt128, high: UInt128) {
        let (reduced, carry) = low.addingReportingOverflow(1 << 64 | 1)
        let top = high &+ (carry ? 1 : 0)
        let exceeds = top >> 64 != 0
        w0 = UInt64(truncatingIfNeeded: exceeds ? reduced : low)
        w1 = UInt64(truncatingIfNeeded: (exceeds ? reduced : low) >> 64)
        w2 = UInt64(truncatingIfNeeded: exceeds ? top : high)
    }
}
