internal import CP256Lanes

/// Adds up the table points of signatures on P-256, eight sums at once: one in each lane of a register.
///
/// A lane takes all points of a signature. Of few signatures it takes a part, so that all lanes have something to add,
/// and the sums of the parts are added up afterwards. Points of G and Q alternate: for a digest of 0, those of G alone
/// would add up to infinity.
struct LaneAddition {
    /// The sums made at once.
    private static let lanes = 8

    /// Whether this machine can.
    static let isAvailable = p256_lanes_available()

    /// The lanes for each signature, as a power of two.
    private let shift: Int
    /// The table points that a lane adds up.
    private let rowCount: Int
    private let blockCount: Int
    /// The offset of each index of a signature from its first.
    private let offsets: UnsafeMutablePointer<Int>
    /// The table indices: in each block row by row, one for each lane.
    private let indices: UnsafeMutablePointer<SignedIndex>
    private let indexCount: Int
    private let sums: UnsafeMutablePointer<p256_lanes_points>

    /// Allocates memory for `size` signatures with `rows` table points each, the first half of G.
    init(rows: Int, size: Int) {
        var shift = 0
        while size << (shift + 1) <= Self.lanes, rows & (1 << (shift + 1) - 1) == 0 { shift += 1 }
        self.shift = shift
        rowCount = rows >> shift
        blockCount = (size << shift + Self.lanes - 1) / Self.lanes
        offsets = .allocate(capacity: rows)
        for row in 0..<rows {
            let turn = row < rows / 2 ? 2 * row : 2 * (row - rows / 2) + 1
            (offsets + row).initialize(to: turn % rowCount * Self.lanes + turn / rowCount)
        }
        // Unused lanes add up the table's first point; nothing reads their sums.
        indexCount = blockCount * rowCount * Self.lanes
        indices = .allocate(capacity: indexCount)
        indices.initialize(repeating: SignedIndex(0, negative: 0), count: indexCount)
        sums = .allocate(capacity: blockCount)
    }

    func deallocate() {
        offsets.deallocate()
        indices.deallocate()
        sums.deallocate()
    }

    /// Sets a table point of a signature.
    @inline(__always)
    func setPoint(_ row: Int, of signature: Int, to index: SignedIndex) {
        let lane = signature &<< shift
        let (block, laneInBlock) = (lane / Self.lanes, lane % Self.lanes)
        indices[block &* rowCount &* Self.lanes &+ laneInBlock &+ offsets[row]] = index
    }

    /// Adds up the points that were set.
    func addUp(_ table: WindowTable<P256>) {
        indices.withMemoryRebound(to: Int64.self, capacity: indexCount) { codes in
            p256_lanes_add_up(table.slots, codes, rowCount, blockCount, sums)
        }
    }

    func sum(of signature: Int) -> ExtendedPoint<P256Field> {
        let first = signature << shift
        var sum = self[first]
        for lane in (first + 1)..<(first + 1 << shift) { sum += self[lane] }
        return sum
    }

    /// The sum in a lane, counted over all blocks.
    private subscript(lane: Int) -> ExtendedPoint<P256Field> {
        // Four coordinates of four words of eight lanes.
        let words = UnsafeRawPointer(sums + lane / Self.lanes)
        func word(_ index: Int) -> UInt64 {
            words.load(fromByteOffset: (index * Self.lanes + lane % Self.lanes) * 8, as: UInt64.self)
        }
        func coordinate(_ index: Int) -> P256Field {
            P256Field(residue: UInt256(word(index), word(index + 1), word(index + 2), word(index + 3)))
        }
        return ExtendedPoint(x: coordinate(0), y: coordinate(4), zz: coordinate(8), zzz: coordinate(12))
    }
}
