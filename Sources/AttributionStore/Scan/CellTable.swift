/// The counts of a pass over the columns, by key: an open-addressing table.
final class CellTable<Key: FixedWidthInteger & UnsignedInteger> {
    /// A key and its count, in one cache line; a count of 0 marks an empty slot.
    private struct Slot {
        var key: Key
        var count: Int64
    }

    private var slots: UnsafeMutableBufferPointer<Slot>
    /// How many keys there are.
    private(set) var count = 0
    private let limit: Int

    /// Creates an empty table.
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
    func add(_ keys: UnsafeMutablePointer<Key>, where selected: UnsafeMutablePointer<UInt8>, count added: Int) throws {
        makeRoom(for: added)
        for index in 0..<added where selected[index] != 0 {
            let slot = slot(of: keys[index])
            slots[slot].count += 1
        }
        guard count <= limit else {
            throw LedgerQuestionError.tooManyCells(limit: limit)
        }
    }

    /// The slot of a key; the caller must add to the count of a new one.
    @inline(__always)
    private func slot(of key: Key) -> Int {
        let mask = slots.count - 1
        var slot = key.slotHash & mask
        while slots[slot].count != 0, slots[slot].key != key {
            slot = (slot + 1) & mask
        }
        if slots[slot].count == 0 {
            slots[slot].key = key
            count += 1
        }
        return slot
    }

    private func makeRoom(for added: Int) {
        var capacity = slots.count
        while capacity < (count + added) * 2 {
            capacity *= 2
        }
        guard capacity > slots.count else {
            return
        }
        let old = slots
        slots = Self.allocate(capacity)
        count = 0
        for entry in old where entry.count != 0 {
            slots[slot(of: entry.key)].count = entry.count
        }
        old.deallocate()
    }

    /// Every key with its count, in no particular order.
    var cells: [(key: Key, count: Int64)] {
        slots.lazy.filter { $0.count != 0 }.map { ($0.key, $0.count) }
    }
}

extension FixedWidthInteger {
    /// A hash whose lowest bits depend on every bit of the value.
    @inline(__always)
    fileprivate var slotHash: Int {
        let low = UInt64(truncatingIfNeeded: self)
        let high = Self.bitWidth > 64 ? UInt64(truncatingIfNeeded: self >> 64) : 0
        let product = (low ^ high &* 0xD6E8_FEB8_6659_FD93).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low >> 32)
    }
}
