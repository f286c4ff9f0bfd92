import Foundation

/// Gives equal byte strings the same place, from 0 on in the order of their first appearance.
///
/// Strings lie side by side in one piece of memory, and one that is looked up is spelt into another that is used again:
/// finding one costs no memory and no reference.
struct ByteStringIndex: Sendable {
    /// All strings, one after the other.
    private var bytes: [UInt8] = []
    /// The end of each in ``bytes``.
    private var ends: [Int] = []
    private var hashes: [UInt64] = []
    /// Places plus one by slot; 0 is an empty slot, and at most half are taken.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)
    /// The string looked up last.
    private var spelt: [UInt8] = []

    /// The string at a place.
    subscript(place: Int) -> ArraySlice<UInt8> {
        bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]]
    }

    /// The place of a string; the number of strings there were before says that it is new.
    ///
    /// - Parameter spell: Appends the string's bytes.
    /// - Returns: Its place.
    mutating func place(spelling spell: (inout [UInt8]) -> Void) -> Int {
        let (hash, slot) = slot(spelling: spell)
        if slots[slot] != 0 {
            return Int(slots[slot]) - 1
        }
        bytes.append(contentsOf: spelt)
        ends.append(bytes.count)
        hashes.append(hash)
        slots[slot] = UInt32(ends.count)
        if ends.count > slots.count / 2 {
            grow()
        }
        return ends.count - 1
    }

    /// The place of a string that is there; nil for another.
    mutating func known(spelling spell: (inout [UInt8]) -> Void) -> Int? {
        let slot = slot(spelling: spell).slot
        return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
    }

    /// The slot that holds a string's place, or the empty one where it belongs.
    private mutating func slot(spelling spell: (inout [UInt8]) -> Void) -> (hash: UInt64, slot: Int) {
        spelt.removeAll(keepingCapacity: true)
        spell(&spelt)
        return spelt.withUnsafeBytes { spelt in
            let hash = Self.hash(spelt)
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 {
                let place = Int(slots[slot]) - 1
                if hashes[place] == hash, isEqual(place, spelt) {
                    break
                }
                slot = (slot + 1) & (slots.count - 1)
            }
            return (hash, slot)
        }
    }

    /// Forgets every string and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        for slot in slots.indices {
            slots[slot] = 0
        }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for (place, hash) in hashes.enumerated() {
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 {
                slot = (slot + 1) & (slots.count - 1)
            }
            slots[slot] = UInt32(place + 1)
        }
    }

    private func isEqual(_ place: Int, _ string: UnsafeRawBufferPointer) -> Bool {
        let start = place == 0 ? 0 : ends[place - 1]
        guard ends[place] - start == string.count, let address = string.baseAddress else {
            return ends[place] == start && string.isEmpty
        }
        return bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memcmp($0 + start, address, string.count) == 0 } ?? false
        }
    }

    /// Multiplies and folds eight bytes at a time.
    ///
    /// Nobody gains by a collision: strings of one hash are compared, and Apple signs nearly all that goes in.
    private static func hash(_ string: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        func add(_ word: UInt64) {
            let (high, low) = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = high ^ low
        }
        var place = 0
        while place + 8 <= string.count {
            add(string.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        var rest = UInt64(string.count)
        while place < string.count {
            rest = rest << 8 | UInt64(string[place])
            place += 1
        }
        add(rest)
        return hash
    }
}
