internal import CP256Lanes

/// Adds up the table points of a batch of signatures on P-256, eight additions at once.
struct LaneAddition {
    /// The additions done at once.
    static let lanes = 8

    /// Whether this machine can.
    static let isAvailable = p256_lanes_available()

    private let rows: Int
    /// The blocks of eight columns.
    private let blocks: Int
    private let points: UnsafeMutablePointer<p256_lanes_points>
    private let products: UnsafeMutablePointer<p256_lanes_residues>
    private let words: UnsafeMutablePointer<UInt64>
    private let exceptions: UnsafeMutablePointer<UInt8>

    /// Allocates memory for `columns` signatures with `rows` table points each.
    ///
    /// - Parameters:
    ///   - rows: The table points of a signature.
    ///   - columns: The number of signatures, a multiple of `lanes`.
    init(rows: Int, columns: Int) {
        precondition(columns % Self.lanes == 0)
        self.rows = rows
        blocks = columns / Self.lanes
        points = Self.allocate(rows * blocks)
        products = Self.allocate(rows / 2 * blocks)
        words = Self.allocate(4 * Self.lanes)
        exceptions = .allocate(capacity: blocks)
    }

    /// Memory aligned to the registers: a load across two cache lines takes twice as long.
    private static func allocate<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
        let size = MemoryLayout<Element>.stride * count
        return UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
            .bindMemory(to: Element.self, capacity: count)
    }

    func deallocate() {
        points.deallocate()
        products.deallocate()
        words.deallocate()
        exceptions.deallocate()
    }

    /// Sums up as `PairAddition` does.
    func add<C>(
        _ indices: UnsafePointer<SignedIndex>, of table: WindowTable<C>, into sums: UnsafeMutablePointer<UInt256>,
        exception: (Int) -> Void
    ) {
        precondition(C.name == .p256)
        exceptions.initialize(repeating: 0, count: blocks)
        var rows = rows
        indices.withMemoryRebound(to: Int64.self, capacity: rows * blocks * Self.lanes) { codes in
            p256_lanes_load(table.slots, codes, rows * blocks, points)
        }
        while rows > 1 {
            let kept = (rows + 1) / 2
            let (right, pairs) = (points + kept * blocks, (rows - kept) * blocks)
            p256_lanes_multiply(points, right, pairs, blocks, products, words, exceptions)
            invert()
            p256_lanes_add(points, right, pairs, products, words)
            rows = kept
        }
        for block in 0..<blocks {
            p256_lanes_x(points + block, words)
            for lane in 0..<Self.lanes {
                sums[block * Self.lanes + lane] = self[lane]
                if exceptions[block] >> UInt8(lane) & 1 == 1 { exception(block * Self.lanes + lane) }
            }
        }
    }

    /// Inverts the eight residues in `words` with one inversion, as `AffinePoint.addPairs` does.
    private func invert() {
        withUnsafeTemporaryAllocation(of: P256Field.self, capacity: Self.lanes) { products in
            var product = P256Field.one
            for lane in 0..<Self.lanes {
                products[lane] = product
                product = product * P256Field(residue: self[lane])
            }
            var inverse = product.inverse
            for lane in (0..<Self.lanes).reversed() {
                let own = inverse * products[lane]
                inverse = inverse * P256Field(residue: self[lane])
                self[lane] = own.residue
            }
        }
    }

    /// The number of a lane.
    private subscript(lane: Int) -> UInt256 {
        get { UInt256(words[lane], words[8 + lane], words[16 + lane], words[24 + lane]) }
        nonmutating set {
            (words[lane], words[8 + lane], words[16 + lane], words[24 + lane]) =
                (newValue.w0, newValue.w1, newValue.w2, newValue.w3)
        }
    }
}
