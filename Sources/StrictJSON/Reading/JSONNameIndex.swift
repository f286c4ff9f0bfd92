/// Finds duplicate names in an object, in time linear in their bytes.
///
/// Most objects never need it, because ``JSONNameFilter`` recognizes nearly all names as new. The standard library
/// seeds the hash, so an attacker cannot construct names that collide.
struct JSONNameIndex {
    /// An open-addressed table of the names' indices plus 1; 0 is an empty slot.
    private var slots = [UInt8](repeating: 0, count: 256)

    /// Adds a name.
    ///
    /// - Parameters:
    ///   - index: Its index among the names, less than ``JSONObject/maximumFields``.
    ///   - name: Its bytes.
    ///   - isEqual: Whether the name at another index has the same bytes.
    /// - Returns: Whether it is new.
    mutating func insert(_ index: Int, _ name: UnsafeBufferPointer<UInt8>, isEqual: (Int) -> Bool) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        var slot = hasher.finalize() & 255
        while slots[slot] != 0 {
            if isEqual(Int(slots[slot]) - 1) {
                return false
            }
            slot = (slot + 1) & 255
        }
        slots[slot] = UInt8(truncatingIfNeeded: index + 1)
        return true
    }
}

/// A 64-bit filter that recognizes most names as new.
struct JSONNameFilter {
    private var seen: UInt64 = 0

    /// Adds a name.
    ///
    /// - Returns: Whether it is certainly no duplicate; false if it may be one.
    mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let hash = name.isEmpty ? 0 : name.count &* 7 &+ Int(name[0]) &* 5 &+ Int(name[name.count - 1]) &* 3
        let bit: UInt64 = 1 << UInt64(hash & 63)
        defer { seen |= bit }
        return seen & bit == 0
    }
}
