/// A point (X / Z², Y / Z³) of a curve in Jacobian coordinates, which need no inversion to add.
struct JacobianPoint<Field: PrimeField> {
    private(set) var x: Field
    private var y: Field
    private(set) var z: Field

    init(_ point: AffinePoint<Field>) {
        (x, y, z) = (point.x, point.y, .one)
    }

    /// Adds a point with Z = 1; returns `false`, with an undefined result, if both have the same x.
    @inline(__always)
    mutating func add(_ point: AffinePoint<Field>) -> Bool {
        let zz = z.squared
        let h = point.x * zz - x
        let r = point.y * (z * zz) - y
        if h.isZero { return false }
        let hh = h.squared
        let hhh = h * hh
        let v = x * hh
        x = r.squared - hhh - v - v
        y = r * (v - x) - y * hhh
        z = z * h
        return true
    }
}
