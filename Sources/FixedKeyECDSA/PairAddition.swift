/// Adds up the table points of a batch of signatures, one addition after the other.
struct PairAddition<C: Curve> {
    private let rows: Int
    private let columns: Int
    private let points: UnsafeMutablePointer<AffinePoint<C.Field>>
    private let products: UnsafeMutablePointer<C.Field>

    /// Allocates memory for up to `columns` signatures with `rows` table points each.
    init(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
        points = .allocate(capacity: rows * columns)
        products = .allocate(capacity: rows / 2 * columns)
    }

    func deallocate() {
        points.deallocate()
        products.deallocate()
    }

    /// Replaces the sum of each column by the number of its x coordinate.
    ///
    /// Row i of the points has the i-th point of every signature. The upper half of the rows is added to the lower
    /// half until one row is left; with an odd number of rows, the middle one is skipped.
    func add(
        _ indices: UnsafePointer<SignedIndex>, of table: WindowTable<C>, into sums: UnsafeMutablePointer<UInt256>,
        exception: (Int) -> Void
    ) {
        let (points, columns) = (points, columns)
        table.copy(indices, count: rows * columns, to: points)
        var rows = rows
        while rows > 1 {
            let kept = (rows + 1) / 2
            let offset = kept * columns
            AffinePoint.addPairs(
                (rows - kept) * columns,
                products: products,
                left: { points[$0] },
                right: { points[$0 &+ offset] },
                store: { points[$0] = $1 },
                exception: { exception($0 % columns) }
            )
            rows = kept
        }
        for column in 0..<columns {
            sums[column] = points[column].x.number
        }
    }
}

extension AffinePoint {
    /// Adds `count` pairs of points with one inversion in the field.
    ///
    /// Montgomery's trick: the differences x₂ − x₁ are multiplied together, the product is
    /// inverted, and each inverse follows from the products before and after it: three multiplications
    /// each instead of an inversion. Pairs are visited from first to last, then from last to first.
    @inline(__always)
    static func addPairs(
        _ count: Int, products: UnsafeMutablePointer<Field>, left: (Int) -> AffinePoint, right: (Int) -> AffinePoint,
        store: (Int, AffinePoint) -> Void, exception: (Int) -> Void
    ) {
        var product = Field.one
        for index in 0..<count {
            products[index] = product
            let difference = right(index).x - left(index).x
            if difference.isZero {
                exception(index)
            } else {
                product = product * difference
            }
        }
        var inverse = product.inverse
        var index = count
        while index > 0 {
            index &-= 1
            let (first, second) = (left(index), right(index))
            let difference = second.x - first.x
            let slope = (second.y - first.y) * (inverse * products[index])
            if !difference.isZero {
                inverse = inverse * difference
            }
            store(index, first.third(of: second, slope: slope))
        }
    }
}
