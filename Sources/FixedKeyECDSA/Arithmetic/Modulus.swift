/// An odd modulus m below 2²⁵⁶ with Montgomery multiplication, R = 2²⁵⁶.
struct Modulus: Sendable {
    /// The modulus m.
    let value: UInt256
    /// −m⁻¹ mod 2⁶⁴: adding m times (this · t₀) to a sum clears its lowest word t₀.
    let negatedInverse: UInt64
    /// R² mod m: multiplying by it converts a number to Montgomery form.
    let squaredRadix: UInt256

    @inline(__always)
    init(_ value: UInt256, negatedInverse: UInt64, squaredRadix: UInt256) {
        self.value = value
        self.negatedInverse = negatedInverse
        self.squaredRadix = squaredRadix
    }

    /// The inverse of `a`, which is in 1…m−1 and coprime to m.
    func inverse(of a: UInt256) -> UInt256 {
        ModularInverter(modulo: value, negatedInverse: negatedInverse).inverse(of: a)
    }

    /// The product a · b · R⁻¹ mod m, fully reduced.
    ///
    /// One factor must be below m; the other may be any number below R, since (ab + qm) / R < 2m holds even then.
    func product(_ a: UInt256, _ b: UInt256) -> UInt256 {
        var sum = UInt256.zero
        var top: UInt64 = 0
        accumulate(a, times: b.w0, into: &sum, &top)
        accumulate(a, times: b.w1, into: &sum, &top)
        accumulate(a, times: b.w2, into: &sum, &top)
        accumulate(a, times: b.w3, into: &sum, &top)
        let (reduced, borrow) = sum.subtractingReportingOverflow(value)
        return borrow && top == 0 ? sum : reduced
    }

    /// One step of the multiplication: sum = (sum + a · word + q · m) / 2⁶⁴ with the q that makes the division exact.
    @inline(__always)
    private func accumulate(_ a: UInt256, times word: UInt64, into sum: inout UInt256, _ top: inout UInt64) {
        let (c0, s0) = a.w0.multiplied(by: word, adding: sum.w0)
        let (c1, s1) = a.w1.multiplied(by: word, adding: sum.w1, c0)
        let (c2, s2) = a.w2.multiplied(by: word, adding: sum.w2, c1)
        let (c3, s3) = a.w3.multiplied(by: word, adding: sum.w3, c2)
        let upper = UInt128(top) &+ UInt128(c3)

        let q = s0 &* negatedInverse
        let (d0, _) = value.w0.multiplied(by: q, adding: s0)
        let (d1, t0) = value.w1.multiplied(by: q, adding: s1, d0)
        let (d2, t1) = value.w2.multiplied(by: q, adding: s2, d1)
        let (d3, t2) = value.w3.multiplied(by: q, adding: s3, d2)
        let last = upper &+ UInt128(d3)
        sum = UInt256(t0, t1, t2, UInt64(truncatingIfNeeded: last))
        top = UInt64(truncatingIfNeeded: last >> 64)
    }
}
