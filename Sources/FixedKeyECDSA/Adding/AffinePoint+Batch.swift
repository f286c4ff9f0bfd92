extension AffinePoint {
    /// Adds `count` pairs of points with one inversion in the field.
    ///
    /// Montgomery's trick: the differences x₂ − x₁ are multiplied together, the product is
    /// inverted, and each inverse follows from the products before and after it: three multiplications
    /// each instead of an inversion. Pairs are visited from first to last, then from last to first.
    ///
    /// - Parameters:
    ///   - count: The number of pairs.
    ///   - products: Memory for `count` elements.
    ///   - left: The first point of a pair.
    ///   - right: The second point of a pair.
    ///   - store: Stores the sum of a pair; may overwrite only the points of that pair.
    ///   - exception: Called for a pair with equal x, whose sum is wrong.
    @inline(__always)
    static func addPairs(
        _ count: Int,
        products: UnsafeMutablePointer<Field>,
        left: (Int) -> AffinePoint,
        right: (Int) -> AffinePoint,
        store: (Int, AffinePoint) -> Void,
        exception: (Int) -> Void
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
