extension Modulus {
    /// The inverse of `a`, which is in 1…m−1 and coprime to m.
    ///
    /// Division steps take (f, g), which starts as (m, a), to (±1, 0), 62 at a time; d and e keep track of f and g as
    /// multiples of a: f ≡ d·a and g ≡ e·a (mod m). Not constant-time.
    func inverse(of a: UInt256) -> UInt256 {
        let modulus = SignedLimbs(value)
        // m⁻¹ mod 2⁶²
        let modulusInverse = Int64(bitPattern: 0 &- negatedInverse) & SignedLimbs.mask
        var (f, g) = (modulus, SignedLimbs(a))
        var (d, e) = (SignedLimbs(.zero), SignedLimbs(UInt256(1, 0, 0, 0)))
        var delta = 1
        while !g.isZero {
            let steps = DivisionSteps(f: f.low, g: g.low, delta: &delta)
            steps.apply(to: &d, &e, modulus: modulus, modulusInverse: modulusInverse)
            steps.apply(to: &f, &g)
        }
        return d.reduced(negated: f.isNegative, modulus: modulus)
    }
}
