/// Counts by key: an open-addressing table of a pass over the columns.
final class CellTable<Key: FixedWidthInteger & UnsignedInteger> {
    /// A key and its count side by side, for looking one up costs a cache line; the count is 0 where the slot is empty.
    private struct Slot {
        var key: Key
        var count: UInt64
    }

    private var slots: UnsafeMutableBufferPointer<Slot>
    /// How many keys there are.
    private(set) var count = 0
    private let limit: Int

    /// Makes an empty table.
    ///
    /// - Parameter limit: The most keys.
    init(limit: Int) {
        self.limit = limit
        slots = Self.allocate(1_024)
    }

    deinit {
        slots.deallocate()
    }

    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<Slot> {
        let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: count)
        slots.initialize(repeating: Slot(key: 0, count: 0))
        return slots
    }

    /// Counts the keys of a block that are selected.
    ///
    /// - Throws: ``LedgerQuestionError/tooManyCells(limit:)``.
    func add(
        _ added: UnsafeMutablePointer<Key>,
        where selected: UnsafeMutablePointer<UInt8>,
        count addedCount: Int
    ) throws {
        if slots.count < (count + addedCount) * 2 {
            grow(for: count + addedCount)
        }
        guard let slots = slots.baseAddress else {
            return
        }
        let mask = self.slots.count - 1
        var count = count
        for index in 0..<addedCount where selected[index] != 0 {
            let key = added[index]
            var slot = Self.hash(key) & mask
            while slots[slot].count != 0, slots[slot].key != key {
                slot = (slot + 1) & mask
            }
            if slots[slot].count == 0 {
                slots[slot].key = key
                count += 1
            }
            slots[slot].count += 1
        }
        self.count = count
        guard count <= limit else {
            throw LedgerQuestionError.tooManyCells(limit: limit)
        }
    }

    private static func hash(_ key: Key) -> Int {
        let folded = UInt64(truncatingIfNeeded: key) ^ UInt64(truncatingIfNeeded: key >> (Key.bitWidth / 2)) &* 31
        let product = folded &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product >> 32)
    }

    private func grow(for wanted: Int) {
        var larger = slots.count
        while larger < wanted * 2 {
            larger *= 2
        }
        let old = slots
        slots = Self.allocate(larger)
        for entry in old where entry.count != 0 {
            var slot = Self.hash(entry.key) & (larger - 1)
            while slots[slot].count != 0 {
                slot = (slot + 1) & (larger - 1)
            }
            slots[slot] = entry
        }
        old.deallocate()
    }

    /// Hands over each key and its count, in no order.
    func forEach(_ use: (Key, Int64) -> Void) {
        for slot in slots where slot.count != 0 {
            use(slot.key, Int64(slot.count))
        }
    }
}
