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
