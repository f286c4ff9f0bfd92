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
