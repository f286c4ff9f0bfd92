/// A point of a curve other than infinity, in affine coordinates.
struct AffinePoint<Field: PrimeField>: Equatable, Sendable, BitwiseCopyable {
    var x: Field
    var y: Field

    @inline(__always)
    init(x: Field, y: Field) {
        self.x = x
        self.y = y
    }

    /// The point 2P: the slope of the tangent is (3x² − 3) / 2y, and y is never 0 because the order is odd.
    var doubled: AffinePoint {
        let square = (x - .one) * (x + .one)
        let slope = (square + square + square) * (y + y).inverse
        return third(of: self, slope: slope)
    }

    /// The sum of this point and `other`, given the slope of their line: the third intersection, mirrored.
    @inline(__always)
    func third(of other: AffinePoint, slope: Field) -> AffinePoint {
        let x3 = slope.squared - x - other.x
        return AffinePoint(x: x3, y: slope * (x - x3) - y)
    }
}

/// A point (X / ZZ, Y / ZZZ) of a curve with ZZ³ = ZZZ², in XYZZ coordinates, which need no inversion to add.
///
/// The sum of two points with the same x, which the formulas do not cover, has ZZ = 0; so has any sum with it. Its
/// other coordinates mean nothing.
///
/// - SeeAlso: [Explicit-Formulas Database](https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html), add-2008-s and
///   madd-2008-s.
struct ExtendedPoint<Field: PrimeField> {
    private(set) var x: Field
    private var y: Field
    private(set) var zz: Field
    private var zzz: Field

    @inline(__always)
    init(x: Field, y: Field, zz: Field, zzz: Field) {
        (self.x, self.y, self.zz, self.zzz) = (x, y, zz, zzz)
    }

    @inline(__always)
    init(_ point: AffinePoint<Field>) {
        self.init(x: point.x, y: point.y, zz: .one, zzz: .one)
    }

    /// Whether the formulas did not cover this sum, or one that is part of it.
    @inline(__always)
    var isUndefined: Bool { zz.isZero }

    /// Adds a point in affine coordinates.
    @inline(__always)
    static func += (sum: inout ExtendedPoint, point: AffinePoint<Field>) {
        sum.add(x: point.x * sum.zz, y: point.y * sum.zzz)
    }

    /// Adds a point.
    static func += (sum: inout ExtendedPoint, other: ExtendedPoint) {
        let (x, y) = (other.x * sum.zz, other.y * sum.zzz)
        sum = ExtendedPoint(
            x: sum.x * other.zz, y: sum.y * other.zzz, zz: sum.zz * other.zz, zzz: sum.zzz * other.zzz)
        sum.add(x: x, y: y)
    }

    /// Adds a point whose coordinates have the same denominators.
    @inline(__always)
    private mutating func add(x x2: Field, y y2: Field) {
        let dx = x2 - x
        let dy = y2 - y
        let dx2 = dx.squared
        let dx3 = dx * dx2
        let q = x * dx2
        x = dy.squared - dx3 - q - q
        y = dy * (q - x) - y * dx3
        zz = zz * dx2
        zzz = zzz * dx3
    }
}

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
