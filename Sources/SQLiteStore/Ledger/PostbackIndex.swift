/// Finds recorded postbacks by 64 bits of their key digest; callers compare a hit with the row.
///
/// A unique index on disk would get slower with every million random keys; this table does not. It takes 12 bytes a
/// slot and is at most three quarters full. It consists of 1,024 parts that grow one at a time, so growth delays no
/// request.
struct PostbackIndex {
    /// Selected by the upper bits of a digest, and searched by the lower bits.
    private var parts: [Part]

    private static let partBits = 10

    /// Creates an empty index with room for `capacity` postbacks.
    init(capacity: Int = 0) {
        let count = 1 << Self.partBits
        // An eighth more than the average, because parts fill unevenly.
        let each = capacity / count
        parts = Array(repeating: Part(capacity: each + each / 8), count: count)
    }

    /// Adds a row under a digest; several rows may have the same digest.
    mutating func insert(_ digest: UInt64, row: UInt32) {
        parts[Int(digest >> (64 - UInt64(Self.partBits)))].insert(digest, row: row)
    }

    /// Adds consecutive rows one part at a time, for better use of the caches.
    mutating func insert(_ digests: [UInt64], from first: Int64) {
        let shift = 64 - UInt64(Self.partBits)
        var starts = Array(repeating: 0, count: parts.count + 1)
        for digest in digests {
            starts[Int(digest >> shift) + 1] += 1
        }
        for part in parts.indices {
            starts[part + 1] += starts[part]
        }
        var next = starts
        var sorted = Array(repeating: (digest: UInt64(0), row: UInt32(0)), count: digests.count)
        for (offset, digest) in digests.enumerated() {
            let part = Int(digest >> shift)
            sorted[next[part]] = (digest, UInt32(truncatingIfNeeded: first + Int64(offset)))
            next[part] += 1
        }
        for part in parts.indices {
            for entry in sorted[starts[part]..<starts[part + 1]] {
                parts[part].insert(entry.digest, row: entry.row)
            }
        }
    }

    /// The rows with a digest: none or one, except for collisions (2⁻⁶⁴ per pair).
    func rows(_ digest: UInt64) -> [UInt32] {
        parts[Int(digest >> (64 - UInt64(Self.partBits)))].rows(digest)
    }

    private struct Part {
        /// Digests by slot; meaningful where ``rows`` is not 0.
        private var digests: [UInt64]
        /// Row ids by slot; 0 is an empty slot.
        private var rows: [UInt32]
        private var count = 0

        init(capacity: Int) {
            var slots = 16
            while slots / 4 * 3 < capacity {
                slots *= 2
            }
            digests = Array(repeating: 0, count: slots)
            rows = Array(repeating: 0, count: slots)
        }

        mutating func insert(_ digest: UInt64, row: UInt32) {
            if count >= rows.count / 4 * 3 {
                grow()
            }
            var slot = Int(truncatingIfNeeded: digest) & (rows.count - 1)
            while rows[slot] != 0 {
                slot = (slot + 1) & (rows.count - 1)
            }
            digests[slot] = digest
            rows[slot] = row
            count += 1
        }

        func rows(_ digest: UInt64) -> [UInt32] {
            // Nearly every lookup finds nothing, and an empty array does not allocate.
            rows.withUnsafeBufferPointer { rows in
                digests.withUnsafeBufferPointer { digests in
                    var found: [UInt32] = []
                    var slot = Int(truncatingIfNeeded: digest) & (rows.count - 1)
                    while rows[slot] != 0 {
                        if digests[slot] == digest {
                            found.append(rows[slot])
                        }
                        slot = (slot + 1) & (rows.count - 1)
                    }
                    return found
                }
            }
        }

        private mutating func grow() {
            var larger = Part(capacity: rows.count)
            for slot in rows.indices where rows[slot] != 0 {
                larger.insert(digests[slot], row: rows[slot])
            }
            self = larger
        }
    }
}
