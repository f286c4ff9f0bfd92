/// A queue of times: first in, first out, without moving what stands behind.
struct DueTimes {
    private var times: [UInt64] = []
    private var first = 0

    var isEmpty: Bool {
        first == times.count
    }

    mutating func append(_ time: UInt64) {
        times.append(time)
    }

    mutating func removeFirst() -> UInt64 {
        defer {
            first += 1
            if first == times.count {
                times.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return times[first]
    }
}
