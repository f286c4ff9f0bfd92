/// The requests not answered yet, those of closed connections included.
///
/// A serial number combines the index of its slot with how often the slot was used before: finding the request of an
/// answer takes no hashing, and a second answer finds nothing.
struct PendingRequests {
    /// The recipient of an answer.
    struct Entry {
        let connection: ConnectionHandler
        /// The number of the request on its connection.
        let number: Int
        /// Whose share of the requests in flight it counts toward; nil when it is bounded otherwise.
        let share: ClientShares.Holder?
    }

    private struct Slot {
        var entry: Entry?
        var use: UInt32 = 0
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// How many there are.
    var count: Int { slots.count - free.count }

    /// Adds a request.
    ///
    /// - Parameter entry: The recipient of the answer.
    /// - Returns: The serial number under which the answer is to be posted.
    mutating func add(_ entry: Entry) -> UInt64 {
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].entry = entry
        return UInt64(slots[index].use) << 32 | UInt64(index)
    }

    /// Removes an answered request.
    ///
    /// - Parameter serial: Its serial number.
    /// - Returns: The recipient of the answer; `nil` when the request was answered before.
    mutating func remove(_ serial: UInt64) -> Entry? {
        let index = Int(UInt32(truncatingIfNeeded: serial))
        guard slots[index].use == UInt32(serial >> 32), let entry = slots[index].entry.take() else { return nil }
        slots[index].use &+= 1
        free.append(index)
        return entry
    }
}
