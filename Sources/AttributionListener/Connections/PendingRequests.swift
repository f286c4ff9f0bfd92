/// The requests their routes have not answered yet, those of closed connections included.
///
/// A serial number holds the index of its request and how often the index was used before: finding the request of an
/// answer takes no hashing, and a second answer finds nothing.
struct PendingRequests {
    /// Whom an answer is for.
    struct Entry {
        let connection: ConnectionHandler
        /// The number of the request on its connection.
        let number: Int
        /// Whose share of the requests in flight it takes up; nil when it is bounded otherwise.
        let share: ClientShares.Holder?
    }

    private struct Slot {
        var entry: Entry?
        var use: UInt32 = 0
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// How many they are.
    var count: Int { slots.count - free.count }

    /// Adds a request that goes to its route.
    ///
    /// - Parameter entry: Whom the answer is for.
    /// - Returns: The serial number under which the answer is to be posted.
    mutating func add(_ entry: Entry) -> UInt64 {
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].entry = entry
        return UInt64(slots[index].use) << 32 | UInt64(index)
    }

    /// Removes a request that is answered.
    ///
    /// - Parameter serial: Its serial number.
    /// - Returns: Whom the answer is for; `nil` when the request had one already.
    mutating func remove(_ serial: UInt64) -> Entry? {
        let index = Int(UInt32(truncatingIfNeeded: serial))
        guard slots[index].use == UInt32(serial >> 32), let entry = slots[index].entry.take() else { return nil }
        slots[index].use &+= 1
        free.append(index)
        return entry
    }
}
