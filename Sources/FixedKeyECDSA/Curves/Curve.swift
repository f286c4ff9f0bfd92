/// A curve y² = x³ − 3x + b of prime order.
protocol Curve: Sendable {
    associatedtype Field: PrimeField

    /// The public name of the curve.
    static var name: ECDSACurve { get }
    static var b: Field { get }
    static var generator: AffinePoint<Field> { get }
    /// The order n of the generator; n < p, and both have `ECDSACurve.bitCount` bits.
    static var order: Modulus { get }

    /// The number of a digest: its leftmost bits, as many as n has (SEC 1, section 4.1.4).
    static func number(of digest: MessageDigest) -> UInt256
}
