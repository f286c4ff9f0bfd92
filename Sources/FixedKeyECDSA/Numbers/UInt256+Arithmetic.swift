extension UInt256 {
    @inline(__always)
    func addingReportingOverflow(_ other: UInt256) -> (partialValue: UInt256, overflow: Bool) {
        let (low, carry) = low.addingReportingOverflow(other.low)
        let (first, overflow1) = high.addingReportingOverflow(other.high)
        let (second, overflow2) = first.addingReportingOverflow(carry ? 1 : 0)
        return (UInt256(low: low, high: second), overflow1 != overflow2)
    }

    @inline(__always)
    func subtractingReportingOverflow(_ other: UInt256) -> (partialValue: UInt256, overflow: Bool) {
        let (low, borrow) = low.subtractingReportingOverflow(other.low)
        let (first, overflow1) = high.subtractingReportingOverflow(other.high)
        let (second, overflow2) = first.subtractingReportingOverflow(borrow ? 1 : 0)
        return (UInt256(low: low, high: second), overflow1 != overflow2)
    }

    /// Sum modulo 2²⁵⁶.
    @inline(__always)
    static func &+ (left: UInt256, right: UInt256) -> UInt256 {
        left.addingReportingOverflow(right).partialValue
    }

    /// Difference modulo 2²⁵⁶.
    @inline(__always)
    static func &- (left: UInt256, right: UInt256) -> UInt256 {
        left.subtractingReportingOverflow(right).partialValue
    }

    @inline(__always)
    static func < (left: UInt256, right: UInt256) -> Bool {
        left.subtractingReportingOverflow(right).overflow
    }

    /// Shifts right by 0…63 bits.
    @inline(__always)
    static func >> (value: UInt256, count: Int) -> UInt256 {
        let right = UInt64(truncatingIfNeeded: count)
        let left = 63 &- right
        return UInt256(
            value.w0 &>> right | (value.w1 &<< 1) &<< left,
            value.w1 &>> right | (value.w2 &<< 1) &<< left,
            value.w2 &>> right | (value.w3 &<< 1) &<< left,
            value.w3 &>> right
        )
    }
}
