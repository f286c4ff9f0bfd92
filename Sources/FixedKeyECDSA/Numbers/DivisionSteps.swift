/// The effect of 62 division steps: 2⁶²·f′ = u·f + v·g and 2⁶²·g′ = q·f + r·g.
///
/// A step halves g, after making it even with f if it is odd; if g is odd and δ > 0, f becomes what g was:
///
///     δ, f, g  →  1 − δ, g, (g − f) / 2    if δ > 0 and g is odd
///                 1 + δ, f, (g + f) / 2    if δ ≤ 0 and g is odd
///                 1 + δ, f, g / 2          if g is even
///
/// The steps depend only on δ and the lowest bits of f and g.
///
/// - SeeAlso: [Bernstein and Yang, Fast constant-time gcd computation and modular
///   inversion](https://gcd.cr.yp.to/safegcd-20190413.pdf)
struct DivisionSteps {
    static let count = 62

    private var u: Int64 = 1
    private var v: Int64 = 0
    private var q: Int64 = 0
    private var r: Int64 = 1

    @inline(__always)
    init(f: UInt64, g: UInt64, delta: inout Int) {
        var (f, g) = (f, g)
        var left = Self.count
        while true {
            // All steps with an even g at once: u and v double instead of q and r being halved.
            let halvings = (g | .max &<< UInt64(left)).trailingZeroBitCount
            g &>>= UInt64(halvings)
            u &<<= Int64(halvings)
            v &<<= Int64(halvings)
            delta &+= halvings
            left &-= halvings
            if left == 0 { return }
            if delta > 0 {
                delta = 0 &- delta
                (f, g) = (g, 0 &- f)
                (u, q) = (q, 0 &- u)
                (v, r) = (r, 0 &- v)
            }
            // While δ stays ≤ 0, f stays: add the multiple of f that clears up to six bits of g.
            let bits = UInt64(min(1 &- delta, left, 6))
            let inverse = f &* (2 &- f &* f)  // modulo 2⁶
            let multiple = (0 &- g &* inverse) & ((1 &<< bits) &- 1)
            g = g &+ f &* multiple
            q = q &+ u &* Int64(bitPattern: multiple)
            r = r &+ v &* Int64(bitPattern: multiple)
        }
    }

    /// Takes f and g to their values after the steps; the divisions are exact.
    @inline(__always)
    func apply(to f: inout SignedLimbs, _ g: inout SignedLimbs) {
        var (sumF, sumG) = sums(f[0], g[0])
        for index in 1..<SignedLimbs.count {
            let (nextF, nextG) = sums(f[index], g[index])
            sumF = sumF >> 62 &+ nextF
            sumG = sumG >> 62 &+ nextG
            f[index - 1] = Int64(truncatingIfNeeded: sumF) & SignedLimbs.mask
            g[index - 1] = Int64(truncatingIfNeeded: sumG) & SignedLimbs.mask
        }
        f[SignedLimbs.count - 1] = Int64(truncatingIfNeeded: sumF >> 62)
        g[SignedLimbs.count - 1] = Int64(truncatingIfNeeded: sumG >> 62)
    }

    /// The same for d and e modulo m, which stay between −2m and m: multiples of m make the divisions exact.
    @inline(__always)
    func apply(to d: inout SignedLimbs, _ e: inout SignedLimbs, modulus: SignedLimbs, modulusInverse: Int64) {
        var (sumD, sumE) = sums(d[0], e[0])
        // One m for each negative number, less what clears the lowest limb.
        var multipleD = (u & d.signMask) &+ (v & e.signMask)
        var multipleE = (q & d.signMask) &+ (r & e.signMask)
        multipleD &-= (modulusInverse &* Int64(truncatingIfNeeded: sumD) &+ multipleD) & SignedLimbs.mask
        multipleE &-= (modulusInverse &* Int64(truncatingIfNeeded: sumE) &+ multipleE) & SignedLimbs.mask
        sumD = sumD &+ Int128(multipleD) &* Int128(modulus[0])
        sumE = sumE &+ Int128(multipleE) &* Int128(modulus[0])
        for index in 1..<SignedLimbs.count {
            let (nextD, nextE) = sums(d[index], e[index])
            sumD = sumD >> 62 &+ nextD &+ Int128(multipleD) &* Int128(modulus[index])
            sumE = sumE >> 62 &+ nextE &+ Int128(multipleE) &* Int128(modulus[index])
            d[index - 1] = Int64(truncatingIfNeeded: sumD) & SignedLimbs.mask
            e[index - 1] = Int64(truncatingIfNeeded: sumE) & SignedLimbs.mask
        }
        d[SignedLimbs.count - 1] = Int64(truncatingIfNeeded: sumD >> 62)
        e[SignedLimbs.count - 1] = Int64(truncatingIfNeeded: sumE >> 62)
    }

    @inline(__always)
    private func sums(_ first: Int64, _ second: Int64) -> (Int128, Int128) {
        (
            Int128(u) &* Int128(first) &+ Int128(v) &* Int128(second),
            Int128(q) &* Int128(first) &+ Int128(r) &* Int128(second)
        )
    }
}
