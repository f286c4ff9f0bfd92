/// Finds names that occur twice in an object, in time linear in their bytes.
///
/// Most objects never need it: ``JSONNameMarks`` tells nearly all names apart. Its hash is seeded by the standard
/// library, so nobody can make up names that collide.
struct JSONNameIndex {
    /// Numbers of names, counted from 1, each at the slot its hash gives or at the next that is free.
    private var slots = [UInt8](repeating: 0, count: 256)

    /// Adds a name.
    ///
    /// - Parameters:
    ///   - number: Its number among the names, less than ``JSONObject/maximumFields``.
    ///   - name: Its bytes.
    ///   - isEqual: Whether another name, by its number, has the same bytes.
    /// - Returns: Whether it is new.
    mutating func insert(_ number: Int, _ name: UnsafeBufferPointer<UInt8>, isEqual: (Int) -> Bool) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        var slot = hasher.finalize() & 255
        while slots[slot] != 0 {
            if isEqual(Int(slots[slot]) - 1) {
                return false
            }
            slot = (slot + 1) & 255
        }
        slots[slot] = UInt8(truncatingIfNeeded: number + 1)
        return true
    }
}

/// One bit for each kind of name seen; equal names are of one kind.
struct JSONNameMarks {
    private var seen: UInt64 = 0

    /// Notes a name.
    ///
    /// - Returns: Whether it is the first of its kind, and so certainly no duplicate.
    mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // The kind follows from the length and both ends.
        let kind = name.isEmpty ? 0 : name.count &* 7 &+ Int(name[0]) &* 5 &+ Int(name[name.count - 1]) &* 3
        let mark: UInt64 = 1 << UInt64(kind & 63)
        defer { seen |= mark }
        return seen & mark == 0
    }
}
