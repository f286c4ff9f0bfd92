extension Modulus {
    /// The inverse of `a`, which is in 1…m−1 and coprime to m.
    ///
    /// Kaliski's almost inverse: Euclid's algorithm by subtraction and halving, where doubling the cofactor of the
    /// *other* number replaces halving modulo m; the surplus factor 2ᵏ is removed at the end. Throughout,
    /// a·s ≡ v·2ᵏ and a·r ≡ −u·2ᵏ (mod m), and u·s + v·r = m, so that no number exceeds m. Not constant-time.
    func inverse(of a: UInt256) -> UInt256 {
        var (u, v) = (value, a)
        var (r, s) = (UInt256.zero, UInt256(1, 0, 0, 0))
        var k = 0
        Self.halve(&v, doubling: &r, counting: &k)
        while u != v {
            let (difference, borrow) = v.subtractingReportingOverflow(u)
            if borrow {
                u = u &- v
                r = r &+ s
                Self.halve(&u, doubling: &s, counting: &k)
            } else {
                v = difference
                s = s &+ r
                Self.halve(&v, doubling: &r, counting: &k)
            }
        }
        // Now u = v = 1 and s = a⁻¹·2ᵏ, k < 512. Each product divides by 2²⁵⁶ and multiplies by half of 2⁵¹²⁻ᵏ.
        let surplus = 512 - k
        let half = product(s, .powerOfTwo(surplus / 2))
        return product(half, .powerOfTwo(surplus - surplus / 2))
    }

    /// Divides an even `value` by 2 until it is odd, multiplying `cofactor` by the same power.
    @inline(__always)
    private static func halve(_ value: inout UInt256, doubling cofactor: inout UInt256, counting k: inout Int) {
        while !value.isOdd {
            let count = min(value.w0.trailingZeroBitCount, 63)
            value = value >> count
            cofactor = cofactor << count
            k += count
        }
    }
}
