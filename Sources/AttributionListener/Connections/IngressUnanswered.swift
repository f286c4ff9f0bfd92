/// The requests the handler has and has not answered, those of closed connections included.
///
/// A serial number holds the place of its request and how often the place was used before: finding the request of an
/// answer takes no hashing, and a second answer finds nothing.
struct IngressUnanswered {
    private struct Place {
        var connection: IngressConnection?
        var use: UInt32 = 0
    }

    private var places: [Place] = []
    private var free: [Int] = []

    /// How many they are.
    var count: Int { places.count - free.count }

    /// Adds the request a connection hands over.
    ///
    /// - Parameter connection: Who takes the answer.
    /// - Returns: The serial number under which it is to be posted.
    mutating func add(_ connection: IngressConnection) -> UInt64 {
        let place = free.popLast() ?? places.count
        if place == places.count { places.append(Place()) }
        places[place].connection = connection
        return UInt64(places[place].use) << 32 | UInt64(place)
    }

    /// Removes a request that is answered.
    ///
    /// - Parameter serial: Its serial number.
    /// - Returns: Who takes the answer; `nil` when the request had one already.
    mutating func remove(_ serial: UInt64) -> IngressConnection? {
        let place = Int(UInt32(truncatingIfNeeded: serial))
        guard places[place].use == UInt32(serial >> 32), let connection = places[place].connection.take() else {
            return nil
        }
        places[place].use &+= 1
        free.append(place)
        return connection
    }
}
