/// The field of P-256, p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, in Montgomery form: x is stored as x·2²⁵⁶ mod p.
struct P256Field: PrimeField {
    private var residue: UInt256

    /// Makes the element with a residue below p.
    @inline(__always)
    init(residue: UInt256) {
        self.residue = residue
    }

    @inline(__always)
    private static var modulus: Modulus {
        Modulus(
            UInt256(0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0, topWord), negatedInverse: 1,
            squaredRadix: UInt256(3, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd))
    }

    /// The most significant word of p.
    @inline(__always)
    private static var topWord: UInt64 { 0xffff_ffff_0000_0001 }

    static var prime: UInt256 { modulus.value }

    static var zero: P256Field { P256Field(residue: .zero) }

    static var one: P256Field { P256Field(residue: UInt256(1, 0xffff_ffff_0000_0000, .max, 0x0000_0000_ffff_fffe)) }

    init(_ number: UInt256) {
        self = P256Field(residue: number) * P256Field(residue: Self.modulus.squaredRadix)
    }

    var number: UInt256 { (self * P256Field(residue: UInt256(1, 0, 0, 0))).residue }

    @inline(__always)
    var isZero: Bool { residue.isZero }

    var inverse: P256Field {
        // (xR)⁻¹ is x⁻¹R⁻¹; each product with R² adds a factor R.
        let radix = P256Field(residue: Self.modulus.squaredRadix)
        return P256Field(residue: Self.modulus.inverse(of: residue)) * radix * radix
    }

    @inline(__always)
    static func + (left: P256Field, right: P256Field) -> P256Field {
        let (sum, carry) = left.residue.addingReportingOverflow(right.residue)
        return P256Field(sum, carry: carry ? 1 : 0)
    }

    @inline(__always)
    static func - (left: P256Field, right: P256Field) -> P256Field {
        let (difference, borrow) = left.residue.subtractingReportingOverflow(right.residue)
        return P256Field(difference, addingPrimeIf: .mask(borrow))
    }

    @inline(__always)
    func negated(_ mask: UInt64) -> P256Field {
        // p − y is the complement of y, plus p + 1.
        let flipped = UInt256(residue.w0 ^ mask, residue.w1 ^ mask, residue.w2 ^ mask, residue.w3 ^ mask)
        return P256Field(residue: flipped &+ UInt256(0, mask & 1 << 32, 0, mask & Self.topWord))
    }

    @inline(__always)
    static func * (left: P256Field, right: P256Field) -> P256Field {
        let (a, b) = (left.residue, right.residue)
        let (a0, t0) = a.w0.multiplied(by: b.w0, adding: 0)
        let (a1, t1) = a.w1.multiplied(by: b.w0, adding: a0)
        let (a2, t2) = a.w2.multiplied(by: b.w0, adding: a1)
        let (a3, t3) = a.w3.multiplied(by: b.w0, adding: a2)

        let (b0, u1) = a.w0.multiplied(by: b.w1, adding: t1)
        let (b1, u2) = a.w1.multiplied(by: b.w1, adding: t2, b0)
        let (b2, u3) = a.w2.multiplied(by: b.w1, adding: t3, b1)
        let (b3, u4) = a.w3.multiplied(by: b.w1, adding: a3, b2)

        let (c0, v2) = a.w0.multiplied(by: b.w2, adding: u2)
        let (c1, v3) = a.w1.multiplied(by: b.w2, adding: u3, c0)
        let (c2, v4) = a.w2.multiplied(by: b.w2, adding: u4, c1)
        let (c3, v5) = a.w3.multiplied(by: b.w2, adding: b3, c2)

        let (d0, x3) = a.w0.multiplied(by: b.w3, adding: v3)
        let (d1, x4) = a.w1.multiplied(by: b.w3, adding: v4, d0)
        let (d2, x5) = a.w2.multiplied(by: b.w3, adding: v5, d1)
        let (x7, x6) = a.w3.multiplied(by: b.w3, adding: c3, d2)
        return reduce(UInt256(t0, u1, v2, x3), UInt256(x4, x5, x6, x7))
    }

    @inline(__always)
    var squared: P256Field {
        let a = residue
        // The six mixed products once …
        let (a1, t1) = a.w0.multiplied(by: a.w1, adding: 0)
        let (a2, t2) = a.w0.multiplied(by: a.w2, adding: a1)
        let (a3, t3) = a.w0.multiplied(by: a.w3, adding: a2)
        let (b2, u3) = a.w1.multiplied(by: a.w2, adding: t3)
        let (b3, u4) = a.w1.multiplied(by: a.w3, adding: a3, b2)
        let (u6, u5) = a.w2.multiplied(by: a.w3, adding: b3)
        // … doubled, and the four squares.
        let s0 = UInt128(a.w0) &* UInt128(a.w0)
        let s1 = UInt128(a.w1) &* UInt128(a.w1)
        let s2 = UInt128(a.w2) &* UInt128(a.w2)
        let s3 = UInt128(a.w3) &* UInt128(a.w3)
        let low = UInt256(0, t1 &<< 1, t2 &<< 1 | t1 &>> 63, u3 &<< 1 | t2 &>> 63)
        let high = UInt256(u4 &<< 1 | u3 &>> 63, u5 &<< 1 | u4 &>> 63, u6 &<< 1 | u5 &>> 63, u6 &>> 63)
        let (lowSum, carry) = low.addingReportingOverflow(UInt256(low: s0, high: s1))
        let highSum = high &+ UInt256(low: s2, high: s3) &+ UInt256(carry ? 1 : 0, 0, 0, 0)
        return Self.reduce(lowSum, highSum)
    }

    /// Divides low + 2²⁵⁶·high, a product of two reduced residues, by 2²⁵⁶ modulo p.
    ///
    /// Since p ≡ −1 mod 2⁶⁴, the multiple of p that clears the lowest word q is q·p itself, and
    /// q + q·p = q·2⁹⁶ + (q·topWord)·2¹⁹²: one multiplication for each of the four words.
    @inline(__always)
    private static func reduce(_ low: UInt256, _ high: UInt256) -> P256Field {
        var carry: UInt64 = 0
        let (t1, t2, t3, t4) = clear(low.w0, low.w1, low.w2, low.w3, high.w0, &carry)
        let (u2, u3, u4, u5) = clear(t1, t2, t3, t4, high.w1, &carry)
        let (v3, v4, v5, v6) = clear(u2, u3, u4, u5, high.w2, &carry)
        let (x4, x5, x6, x7) = clear(v3, v4, v5, v6, high.w3, &carry)
        return P256Field(UInt256(x4, x5, x6, x7), carry: carry)
    }

    /// Adds q·p to the five words that start with q and drops the lowest, now zero; `carry` belongs to the fifth.
    @inline(__always)
    private static func clear(
        _ q: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ carry: inout UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        let (lower, overflow1) = UInt256(t1, t2, 0, 0).low.addingReportingOverflow(UInt128(q) << 32)
        // q·topWord leaves room for both carries: it is below 2¹²⁸ − 2⁹⁶ + 2³².
        let product = UInt128(q) &* UInt128(topWord) &+ UInt128(carry) << 64 &+ (overflow1 ? 1 : 0)
        let (upper, overflow2) = UInt256(t3, t4, 0, 0).low.addingReportingOverflow(product)
        carry = overflow2 ? 1 : 0
        let result = UInt256(low: lower, high: upper)
        return (result.w0, result.w1, result.w2, result.w3)
    }

    /// Reduces a number below 2p, given as `sum` + 2²⁵⁶·`carry`: subtracts p, and adds it back if the result is
    /// negative.
    @inline(__always)
    private init(_ sum: UInt256, carry: UInt64) {
        let (difference, borrow) = sum.subtractingReportingOverflow(Self.modulus.value)
        // Branch-free: a branch would be mispredicted one time in four.
        let keep = carry &- (borrow ? 1 : 0) != 0
        residue = UInt256(
            keep ? sum.w0 : difference.w0, keep ? sum.w1 : difference.w1,
            keep ? sum.w2 : difference.w2, keep ? sum.w3 : difference.w3
        )
    }

    /// Adds p modulo 2²⁵⁶ if `mask` is all ones, nothing if it is zero.
    @inline(__always)
    private init(_ difference: UInt256, addingPrimeIf mask: UInt64) {
        residue = difference &+ UInt256(mask, mask >> 32, 0, mask & Self.topWord)
    }
}
