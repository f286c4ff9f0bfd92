/// The counts of a pass over the columns, by key.
///
/// A key consists of a group (one value of each dimension) and, in the lowest bits, traits. While there are few groups,
/// each has a row with a count for every code of traits, so that only groups are looked up.
final class CellTable<Key: FixedWidthInteger & UnsignedInteger> {
    private var rows: CellRows<Key>?
    private let cells = CellSlots<Key>()
    private let limit: Int

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - traits: The bits of the traits in a key, which are its lowest.
    ///   - traitsCount: The number of codes of traits.
    ///   - limit: The most keys.
    init(traits: ScanLayout.Field, traitsCount: Int, limit: Int) {
        rows = CellRows(traitsBits: traits.bits, traitsCount: traitsCount)
        self.limit = limit
    }

    /// How many keys there are.
    var count: Int {
        rows?.count ?? cells.count
    }

    /// Counts the keys of a block that are selected.
    ///
    /// - Throws: ``LedgerQuestionError/tooManyCells(limit:)``.
    func add(_ keys: UnsafeMutablePointer<Key>, where selected: UnsafeMutablePointer<UInt8>, count added: Int) throws {
        var done = 0
        if let rows {
            done = rows.add(keys, where: selected, count: added)
            if done < added {
                rows.forEach(cells.add)
                self.rows = nil
            }
        }
        cells.add(keys, where: selected, from: done, to: added)
        guard count <= limit else {
            throw LedgerQuestionError.tooManyCells(limit: limit)
        }
    }

    /// Adds the count of a key.
    ///
    /// - Throws: ``LedgerQuestionError/tooManyCells(limit:)``.
    func add(_ key: Key, _ added: UInt64) throws {
        if let rows, !rows.add(key, added) {
            rows.forEach(cells.add)
            self.rows = nil
        }
        if rows == nil {
            cells.add(key, added)
        }
        guard count <= limit else {
            throw LedgerQuestionError.tooManyCells(limit: limit)
        }
    }

    /// Calls a closure with each key and its count, in no particular order.
    func forEach(_ use: (Key, UInt64) -> Void) {
        if let rows {
            rows.forEach(use)
        } else {
            cells.forEach(use)
        }
    }
}

/// Consecutive rows of counts, one for each group.
private final class CellRows<Key: FixedWidthInteger & UnsignedInteger> {
    /// A group and the number of its row, from 1; 0 marks an empty slot.
    private struct Slot {
        var group: Key
        var row: UInt32
    }

    private let traitsBits: Int
    private let traitsCount: Int
    private var slots: UnsafeMutableBufferPointer<Slot>
    private var groups: [Key] = []
    /// 32 bits are enough, because ids of postbacks have 32 bits.
    private var counts: UnsafeMutableBufferPointer<UInt32>
    /// How many counts are not 0.
    private(set) var count = 0

    /// 64 MiB; most questions need only a few.
    private static var maximumCounts: Int { 16 << 20 }

    init(traitsBits: Int, traitsCount: Int) {
        self.traitsBits = traitsBits
        self.traitsCount = max(1, traitsCount)
        slots = .allocate(capacity: 1_024)
        slots.initialize(repeating: Slot(group: 0, row: 0))
        counts = .allocate(capacity: 0)
    }

    deinit {
        slots.deallocate()
        counts.deallocate()
    }

    /// Counts the keys of a block that are selected.
    ///
    /// - Returns: How many keys were processed; fewer than `added` if there is no room for the next one.
    func add(_ keys: UnsafeMutablePointer<Key>, where selected: UnsafeMutablePointer<UInt8>, count added: Int) -> Int {
        if slots.count < (groups.count + added) * 2 {
            growSlots(for: groups.count + added)
        }
        for index in 0..<added where selected[index] != 0 {
            guard let cell = cell(of: keys[index]) else {
                return index
            }
            if counts[cell] == 0 {
                count += 1
            }
            counts[cell] &+= 1
        }
        return added
    }

    /// Adds the count of a key.
    ///
    /// - Returns: Whether there was room.
    func add(_ key: Key, _ added: UInt64) -> Bool {
        if slots.count < (groups.count + 1) * 2 {
            growSlots(for: groups.count + 1)
        }
        guard let cell = cell(of: key) else {
            return false
        }
        if counts[cell] == 0 {
            count += 1
        }
        counts[cell] &+= UInt32(truncatingIfNeeded: added)
        return true
    }

    /// The index of a key's count; nil if there is no room for a new group.
    @inline(__always)
    private func cell(of key: Key) -> Int? {
        let traits = Int(truncatingIfNeeded: key) & (1 << traitsBits - 1)
        let group = key >> traitsBits
        let mask = slots.count - 1
        var slot = group.slotHash & mask
        while slots[slot].row != 0, slots[slot].group != group {
            slot = (slot + 1) & mask
        }
        if slots[slot].row == 0 {
            guard makeRoom() else {
                return nil
            }
            groups.append(group)
            slots[slot] = Slot(group: group, row: UInt32(groups.count))
        }
        return traits < traitsCount ? Int(slots[slot].row - 1) * traitsCount + traits : nil
    }

    /// Makes room for one more row, up to ``maximumCounts``.
    private func makeRoom() -> Bool {
        let wanted = (groups.count + 1) * traitsCount
        guard wanted > counts.count else {
            return true
        }
        guard wanted <= Self.maximumCounts else {
            return false
        }
        let larger = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: max(wanted, counts.count * 2, 65_536))
        let end = larger.moveInitialize(fromContentsOf: counts)
        larger[end...].initialize(repeating: 0)
        counts.deallocate()
        counts = larger
        return true
    }

    private func growSlots(for wanted: Int) {
        var larger = slots.count
        while larger < wanted * 2 {
            larger *= 2
        }
        slots.deallocate()
        slots = .allocate(capacity: larger)
        slots.initialize(repeating: Slot(group: 0, row: 0))
        for (index, group) in groups.enumerated() {
            var slot = group.slotHash & (larger - 1)
            while slots[slot].row != 0 {
                slot = (slot + 1) & (larger - 1)
            }
            slots[slot] = Slot(group: group, row: UInt32(index + 1))
        }
    }

    func forEach(_ use: (Key, UInt64) -> Void) {
        for (row, group) in groups.enumerated() {
            for traits in 0..<traitsCount where counts[row * traitsCount + traits] != 0 {
                use(group << traitsBits | Key(traits), UInt64(counts[row * traitsCount + traits]))
            }
        }
    }
}

/// An open-addressing table with a slot for each key.
private final class CellSlots<Key: FixedWidthInteger & UnsignedInteger> {
    /// A key and its count, in one cache line; a count of 0 marks an empty slot.
    private struct Slot {
        var key: Key
        var count: UInt64
    }

    private var slots: UnsafeMutableBufferPointer<Slot>
    /// How many keys there are.
    private(set) var count = 0

    init() {
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

    /// Counts those keys of a block that are selected.
    func add(
        _ keys: UnsafeMutablePointer<Key>, where selected: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int
    ) {
        guard start < end else {
            return
        }
        makeRoom(for: end - start)
        for index in start..<end where selected[index] != 0 {
            let slot = slot(of: keys[index])
            slots[slot].count += 1
        }
    }

    /// Adds a count.
    func add(_ key: Key, _ count: UInt64) {
        makeRoom(for: 1)
        let slot = slot(of: key)
        slots[slot].count += count
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
        guard slots.count < (count + added) * 2 else {
            return
        }
        let old = slots
        slots = Self.allocate(max(slots.count * 2, (((count + added) * 2).nextPowerOfTwo)))
        count = 0
        for entry in old where entry.count != 0 {
            let slot = slot(of: entry.key)
            slots[slot].count = entry.count
        }
        old.deallocate()
    }

    func forEach(_ use: (Key, UInt64) -> Void) {
        for slot in slots where slot.count != 0 {
            use(slot.key, slot.count)
        }
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

extension Int {
    /// The smallest power of two that is not less.
    fileprivate var nextPowerOfTwo: Int {
        1 << (Int.bitWidth - Swift.max(0, self - 1).leadingZeroBitCount)
    }
}
