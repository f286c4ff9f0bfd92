/// Splits scalars into signed windows: scalar = Σ dⱼ·2^(wj) with odd digits |dⱼ| < 2ʷ.
///
/// An odd number u below 2^(wk) has such a form with k digits: dⱼ = 2bⱼ − (2ʷ − 1), where the bⱼ are the plain
/// w-bit digits of (u + 2^(wk) − 1) / 2, because Σ (2ʷ − 1)·2^(wj) = 2^(wk) − 1. For odd u that number is
/// ⌊u / 2⌋ + 2^(wk − 1): the bits of u above the lowest, with one more set at the very top. An even scalar u has the
/// odd negative n − u. So every scalar becomes exactly k points, without zeros or carries.
struct SignedWindows: Sendable {
    /// The bits of a window, w.
    let width: Int
    /// The number of windows of a scalar, k.
    let count: Int
    /// The number of table points of each window except the last: B, 3B, … (2ʷ − 1)B for B = 2^(wj) times the base.
    let pointsPerWindow: Int
    /// The number of table points of all windows; the last needs only those the remaining bits can reach.
    let pointsPerBase: Int

    init(width: Int, bitCount: Int) {
        self.width = width
        count = (bitCount + width - 1) / width
        pointsPerWindow = 1 << (width - 1)
        pointsPerBase = (count - 1) * pointsPerWindow + (1 << (bitCount - 1 - (count - 1) * width))
    }

    /// Finds the table points that make up a scalar below n.
    ///
    /// - Parameters:
    ///   - scalar: The scalar; 0 is taken as n.
    ///   - order: The order n.
    ///   - first: The index of the base's first point in the table.
    ///   - store: Called with the number of a window and its point.
    @inline(__always)
    func forEachPoint(of scalar: UInt256, order: UInt256, first: Int, _ store: (Int, SignedIndex) -> Void) {
        let isEven = !scalar.isOdd
        var bits = (isEven ? order &- scalar : scalar) >> 1
        let flip = UInt64.mask(isEven)
        let indexMask = UInt64(pointsPerWindow) &- 1
        var start = first
        for window in 0..<(count &- 1) {
            // b ≥ 2^(w−1) means the positive d = 2(b − 2^(w−1)) + 1, a smaller b the negative of its mirror.
            let negative = ((bits.w0 &>> UInt64(width &- 1)) & 1) &- 1
            let index = Int(truncatingIfNeeded: (bits.w0 ^ negative) & indexMask)
            store(window, SignedIndex(start &+ index, negative: negative ^ flip))
            bits = bits >> width
            start &+= pointsPerWindow
        }
        store(count &- 1, SignedIndex(start &+ Int(truncatingIfNeeded: bits.w0), negative: flip))
    }
}

/// The index of a point in a table, and whether to negate it.
struct SignedIndex: BitwiseCopyable {
    private let code: Int

    /// Makes an index; `negative` is all ones to negate the point, otherwise zero.
    @inline(__always)
    init(_ index: Int, negative: UInt64) {
        code = index &<< 1 | Int(truncatingIfNeeded: negative & 1)
    }

    /// The index in the table.
    @inline(__always)
    var index: Int { code &>> 1 }

    /// All ones for the negative, zero for the point itself.
    @inline(__always)
    var mask: UInt64 { 0 &- UInt64(truncatingIfNeeded: code & 1) }
}
