/// The counts of a pass over the columns, by key: an open-addressing table of rows of counts.
///
/// A row has the counts of the keys that differ only in their lowest bits, which hold traits: a group mostly has several
/// traits, and so fewer rows are looked up, in less memory.
final class CellTable<Key: FixedWidthInteger & UnsignedInteger> {
    /// What the keys of a row have in common, and the number of the row, from 1; 0 marks an empty slot.
    private struct Slot {
        var key: Key
        var row: UInt32
    }

    private var slots: UnsafeMutableBufferPointer<Slot>
    /// 32 bits are enough, because ids of postbacks have 32 bits.
    private var counts: UnsafeMutableBufferPointer<UInt32>
    private var rowCount = 0
    /// How many counts are not 0.
    private(set) var count = 0
    private let limit: Int

    /// The bits of a key within a row: a row of 16 counts is a cache line.
    private static var rowBits: Int { 4 }

    init(limit: Int) {
        self.limit = limit
        slots = Self.allocate(1_024, Slot(key: 0, row: 0))
        counts = Self.allocate(0, 0)
    }

    deinit {
        slots.deallocate()
        counts.deallocate()
    }

    private static func allocate<Element>(_ count: Int, _ element: Element) -> UnsafeMutableBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: count)
        memory.initialize(repeating: element)
        return memory
    }

    /// Counts the keys of a block that are selected.
    ///
    /// - Throws: ``LedgerQuestionError/tooManyCells(limit:)``.
    func add(_ keys: UnsafeMutablePointer<Key>, where selected: UnsafeMutablePointer<UInt8>, count added: Int) throws {
        makeRoom(for: added)
        let (slots, counts) = (slots, counts)
        var (rows, found) = (rowCount, count)
        for index in 0..<added where selected[index] != 0 {
            let key = keys[index] >> Self.rowBits
            let slot = Self.slot(of: key, in: slots)
            if slots[slot].row == 0 {
                rows += 1
                slots[slot] = Slot(key: key, row: UInt32(rows))
            }
            let offset = Int(truncatingIfNeeded: keys[index]) & (1 << Self.rowBits - 1)
            let cell = Int(slots[slot].row - 1) << Self.rowBits | offset
            found += counts[cell] == 0 ? 1 : 0
            counts[cell] &+= 1
        }
        (rowCount, count) = (rows, found)
        guard count <= limit else {
            throw LedgerQuestionError.tooManyCells(limit: limit)
        }
    }

    /// The slot that a row has, or will have.
    @inline(__always)
    private static func slot(of key: Key, in slots: UnsafeMutableBufferPointer<Slot>) -> Int {
        let mask = slots.count - 1
        var slot = key.slotHash & mask
        while slots[slot].row != 0, slots[slot].key != key {
            slot = (slot + 1) & mask
        }
        return slot
    }

    private func makeRoom(for added: Int) {
        let rows = rowCount + added
        if counts.count < rows << Self.rowBits {
            let larger = Self.allocate(max(rows << Self.rowBits, counts.count * 2), UInt32(0))
            _ = larger.update(fromContentsOf: counts)
            counts.deallocate()
            counts = larger
        }
        var capacity = slots.count
        while capacity < rows * 2 {
            capacity *= 2
        }
        if slots.count < capacity {
            let larger = Self.allocate(capacity, Slot(key: 0, row: 0))
            for entry in slots where entry.row != 0 {
                larger[Self.slot(of: entry.key, in: larger)] = entry
            }
            slots.deallocate()
            slots = larger
        }
    }

    /// Every key with its count, in no particular order.
    var cells: [(key: Key, count: Int64)] {
        var cells: [(key: Key, count: Int64)] = []
        cells.reserveCapacity(count)
        for slot in slots where slot.row != 0 {
            let first = Int(slot.row - 1) << Self.rowBits
            for low in 0..<(1 << Self.rowBits) where counts[first + low] != 0 {
                cells.append((slot.key << Self.rowBits | Key(low), Int64(counts[first + low])))
            }
        }
        return cells
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
