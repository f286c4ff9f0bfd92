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

    /// The inverse of `a`, which is in 1…m−1 and coprime to m; several times as fast as OpenSSL, and not constant-time.
    ///
    /// The binary algorithm: u and v start as a and m and go down to 1, while a·x ≡ u and a·y ≡ v (mod m).
    func inverse(of a: UInt256) -> UInt256 {
        var (u, x) = (a, UInt256(1, 0, 0, 0))
        var (v, y) = (value, UInt256.zero)
        halve(&u, &x)
        while u != v {
            if v < u {
                subtract(v, y, from: &u, &x)
            } else {
                subtract(u, x, from: &v, &y)
            }
        }
        return x
    }

    /// Subtracts v from the larger u, both odd, and halves the difference until it is odd.
    @inline(__always)
    private func subtract(_ v: UInt256, _ y: UInt256, from u: inout UInt256, _ x: inout UInt256) {
        let (difference, borrow) = x.subtractingReportingOverflow(y)
        u = u &- v
        x = borrow ? difference &+ value : difference
        halve(&u, &x)
    }

    /// Halves u, which is not 0, until it is odd, and x modulo m as often.
    @inline(__always)
    private func halve(_ u: inout UInt256, _ x: inout UInt256) {
        while !u.isOdd {
            let count = min(u.w0.trailingZeroBitCount, 63)
            u = u >> count
            // With this multiple of m, x is divisible by 2^count.
            let factor = x.w0 &* negatedInverse & ((1 &<< UInt64(count)) &- 1)
            let (c0, s0) = value.w0.multiplied(by: factor, adding: x.w0)
            let (c1, s1) = value.w1.multiplied(by: factor, adding: x.w1, c0)
            let (c2, s2) = value.w2.multiplied(by: factor, adding: x.w2, c1)
            let (top, s3) = value.w3.multiplied(by: factor, adding: x.w3, c2)
            x = UInt256(s0, s1, s2, s3) >> count
            x.w3 |= top &<< UInt64(64 - count)
        }
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
