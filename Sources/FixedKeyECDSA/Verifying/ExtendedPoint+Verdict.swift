extension ExtendedPoint {
    /// The verdict on a signature whose sum this is: valid if x is r modulo the order n.
    func verdict(on r: UInt256, order: UInt256) -> Verdict {
        if isUndefined { return .undecided }
        // x = X / ZZ must be r or, if below p, r + n.
        if Field(r) * zz == x { return .valid }
        let (second, overflow) = r.addingReportingOverflow(order)
        return !overflow && second < Field.prime && Field(second) * zz == x ? .valid : .invalid
    }
}
