/// An element of the field of integers modulo a curve's prime p, always fully reduced.
protocol PrimeField: Equatable, Sendable, BitwiseCopyable {
    static var zero: Self { get }
    static var one: Self { get }

    /// Makes an element from a number below p.
    init(_ number: UInt256)

    /// The element as a number below p.
    var number: UInt256 { get }

    /// The prime p.
    static var prime: UInt256 { get }

    static func + (left: Self, right: Self) -> Self
    static func - (left: Self, right: Self) -> Self
    static func * (left: Self, right: Self) -> Self

    var squared: Self { get }
    var isZero: Bool { get }

    /// The element itself for a mask of zero, its negative for a mask of all ones; the element must not be zero.
    func negated(_ mask: UInt64) -> Self

    /// The inverse of an element other than zero.
    var inverse: Self { get }
}
