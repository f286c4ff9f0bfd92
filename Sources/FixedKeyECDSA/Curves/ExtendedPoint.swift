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
