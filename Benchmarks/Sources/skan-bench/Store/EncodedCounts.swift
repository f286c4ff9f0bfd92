/// The counts of a row of tallies as the store keeps them: pairs of a byte that names the counter, and the count, packed.
struct EncodedCounts {
    private var counts: [UInt8: UInt64] = [:]

    /// Reads the pairs; nil for anything but whole ones.
    init?(_ bytes: [UInt8]) {
        var packed = PackedBytes(bytes)
        while let counter = packed.byte() {
            guard let count = packed.number() else {
                return nil
            }
            counts[counter, default: 0] += count
        }
    }

    /// The pairs, every count multiplied.
    func bytes(times factor: Int) -> [UInt8] {
        counts.sorted { $0.key < $1.key }.flatMap { [$0.key] + PackedBytes.packed($0.value * UInt64(factor)) }
    }
}
