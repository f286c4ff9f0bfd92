/// Finds a recorded postback by a 64-bit fingerprint of its key: exact, for whoever asks compares the row it names.
///
/// A unique index on disk costs more with every million random ids; this table costs the same at ten million as at
/// none: 12 bytes a slot, at most three quarters full. It belongs to the one process that writes the file.
struct PostbackIndex {
    /// Fingerprints by slot; meaningful where ``rows`` is not 0.
    private var fingerprints: [UInt64]
    /// Row ids by slot; 0 is an empty slot.
    private var rows: [UInt32]
    private(set) var count = 0

    /// Makes an empty index with room for some postbacks before it has to grow.
    init(capacity: Int = 0) {
        var slots = 1024
        while slots / 4 * 3 < capacity {
            slots *= 2
        }
        fingerprints = Array(repeating: 0, count: slots)
        rows = Array(repeating: 0, count: slots)
    }

    /// Remembers a row under a fingerprint; the same fingerprint may stand for several rows.
    mutating func insert(_ fingerprint: UInt64, row: UInt32) {
        if count >= rows.count / 4 * 3 {
            grow()
        }
        var slot = Int(truncatingIfNeeded: fingerprint) & (rows.count - 1)
        while rows[slot] != 0 {
            slot = (slot + 1) & (rows.count - 1)
        }
        fingerprints[slot] = fingerprint
        rows[slot] = row
        count += 1
    }

    /// The rows remembered under a fingerprint: none or one, but for one chance in 2⁶⁴ a pair.
    func rows(_ fingerprint: UInt64) -> [UInt32] {
        var found: [UInt32] = []
        var slot = Int(truncatingIfNeeded: fingerprint) & (rows.count - 1)
        while rows[slot] != 0 {
            if fingerprints[slot] == fingerprint {
                found.append(rows[slot])
            }
            slot = (slot + 1) & (rows.count - 1)
        }
        return found
    }

    private mutating func grow() {
        var larger = PostbackIndex(capacity: rows.count)
        for slot in rows.indices where rows[slot] != 0 {
            larger.insert(fingerprints[slot], row: rows[slot])
        }
        self = larger
    }
}
