extension Int64 {
    /// The quotient, rounded towards minus infinity, as times before 1970 need it; the divisor is positive.
    package func dividedRoundingDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
