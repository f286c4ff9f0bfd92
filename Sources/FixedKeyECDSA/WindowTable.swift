#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The precomputed multiples of some bases: for each base B and window j, the points (2e + 1)·2^(wj)·B.
struct WindowTable<C: Curve>: Sendable {
    typealias Point = AffinePoint<C.Field>

    let windows: SignedWindows
    private let memory: TableMemory

    init(bases: [Point], windowWidth: Int) {
        let windows = SignedWindows(width: windowWidth, bitCount: C.name.bitCount)
        self.windows = windows
        memory = TableMemory(slotCount: bases.count * windows.pointsPerBase) { bytes in
            for (index, base) in bases.enumerated() {
                Self.fill(TablePoints(bytes, from: index * windows.pointsPerBase), base: base, windows: windows)
            }
        }
    }

    /// The memory used, in bytes.
    var byteCount: Int { memory.bytes.count }

    /// The points, one in each slot of a `TableMemory`.
    var slots: UnsafeRawPointer? { memory.bytes.baseAddress }

    /// Copies points of the table, negated where the index says so.
    ///
    /// With a table larger than the caches, the processor waits for each point. It waits for many at once if
    /// there are few instructions between loads, so one word of each point in a block is read in advance.
    ///
    /// - Returns: A meaningless sum of those words, which keeps the reads from being optimized away, as long as this is not
    ///   inlined into callers that ignore it.
    @inline(never)
    @discardableResult
    func copy(_ indices: UnsafePointer<SignedIndex>, count: Int, to points: UnsafeMutablePointer<Point>) -> UInt64 {
        let bytes = memory.bytes
        var touched: UInt64 = 0
        var start = 0
        while start < count {
            let end = min(start &+ 128, count)
            for slot in start..<end {
                touched &+= bytes.load(fromByteOffset: indices[slot].index &* TableMemory.slotSize, as: UInt64.self)
            }
            for slot in start..<end {
                let source = indices[slot]
                var point = bytes.load(fromByteOffset: source.index &* TableMemory.slotSize, as: Point.self)
                point.y = point.y.negated(source.mask)
                (points + slot).initialize(to: point)
            }
            start = end
        }
        return touched
    }

    /// Fills all windows of a base in lockstep.
    ///
    /// Each step doubles their length: the multiples 1, 3, … 2c − 1 plus 2c give 2c + 1, … 4c − 1. A pair never shares
    /// an x, since one of the two multiples is odd, the other even, and both are far below n.
    private static func fill(_ points: TablePoints<C.Field>, base: Point, windows: SignedWindows) {
        var doublings = [base]
        for index in 1..<C.name.bitCount {
            doublings.append(doublings[index - 1].doubled)
        }
        for window in 0..<windows.count {
            points[window * windows.pointsPerWindow] = doublings[window * windows.width]
        }
        let lastWindowPoints = windows.pointsPerBase - (windows.count - 1) * windows.pointsPerWindow
        let batch = 1024
        let products = UnsafeMutablePointer<C.Field>.allocate(capacity: batch)
        defer { products.deallocate() }
        doublings.withUnsafeBufferPointer { doublings in
            for level in 0..<(windows.width - 1) {
                let length = 1 << level
                let pairs = (length < lastWindowPoints ? windows.count : windows.count - 1) * length
                for start in stride(from: 0, to: pairs, by: batch) {
                    let slot = { (index: Int) in
                        ((start + index) >> level) * windows.pointsPerWindow + ((start + index) & (length - 1))
                    }
                    Point.addPairs(
                        min(batch, pairs - start),
                        products: products,
                        left: { points[slot($0)] },
                        right: { doublings[((start + $0) >> level) * windows.width + level + 1] },
                        store: { points[slot($0) + length] = $1 },
                        exception: { _ in }
                    )
                }
            }
        }
    }
}

/// The points of a table under construction, one per slot of a `TableMemory`.
struct TablePoints<Field: PrimeField> {
    private let bytes: UnsafeMutableRawBufferPointer
    private let first: Int

    /// Makes a view of the slots from index `first` on.
    init(_ bytes: UnsafeMutableRawBufferPointer, from first: Int) {
        (self.bytes, self.first) = (bytes, first)
    }

    @inline(__always)
    subscript(index: Int) -> AffinePoint<Field> {
        get {
            bytes.load(fromByteOffset: (first + index) * TableMemory.slotSize, as: AffinePoint<Field>.self)
        }
        nonmutating set {
            bytes.storeBytes(
                of: newValue, toByteOffset: (first + index) * TableMemory.slotSize, as: AffinePoint<Field>.self)
        }
    }
}

/// Aligned memory for the points of a table, one per 64-byte slot, so that a lookup touches one cache line.
///
/// Lookups hit pages at random, and finding a small page that the processor does not remember takes longer than adding
/// the point, so large tables ask for large pages.
///
/// Sendable because nothing writes after `init`: only `fill` gets the mutable pointer, and only the
/// last reference frees the memory.
final class TableMemory: Sendable {
    static let slotSize = 64
    private static let largePage = 2 << 20

    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Allocates `slotCount` slots and fills them.
    init(slotCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let byteCount = slotCount * Self.slotSize
        let isLarge = byteCount >= Self.largePage
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: byteCount, alignment: isLarge ? Self.largePage : Self.slotSize)
        #if os(Linux)
            // Without large pages everything still works.
            if isLarge { madvise(bytes.baseAddress, byteCount, MADV_HUGEPAGE) }
        #endif
        fill(bytes)
        self.bytes = UnsafeRawBufferPointer(bytes)
    }

    deinit { bytes.deallocate() }
}
