/// Requests that wait, taken in turn from everyone who waits.
///
/// When there is no room, whoever waits with the most is refused first. So one holder alone may use all the room, and
/// no one can use it up for others.
struct FairQueue<Holder: Hashable, Element> {
    private struct Line {
        /// Nil once taken, so that nothing of a request is kept while others wait behind it.
        var waiting: [(element: Element, weight: Int)?] = []
        /// How many of ``waiting`` were taken.
        var taken = 0
        var weight = 0

        var isEmpty: Bool { taken == waiting.count }

        /// Adds a request; returns whether it is the first.
        mutating func append(_ element: Element, weight added: Int) -> Bool {
            waiting.append((element, added))
            weight += added
            return waiting.count == 1
        }

        mutating func takeFirst() -> (element: Element, weight: Int)? {
            guard let first = waiting[taken].take() else { return nil }
            taken += 1
            weight -= first.weight
            if taken == waiting.count || taken >= 64 {
                waiting.removeFirst(taken)
                taken = 0
            }
            return first
        }
    }

    private let capacity: Int
    private var lines: [Holder: Line] = [:]
    /// Everyone who waits, in the order of their turns.
    private var turns: [Holder] = []
    private var nextTurn = 0
    /// The weight of all that waits.
    private(set) var weight = 0

    /// Makes an empty queue.
    ///
    /// - Parameter capacity: The most weight that may wait.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds a request at the end of its holder's line.
    ///
    /// - Parameters:
    ///   - element: The request.
    ///   - added: What it costs; at least 1.
    ///   - holder: Who waits for it.
    /// - Returns: The requests that there is no room for: this one, or later ones of whoever waits with more.
    mutating func add(_ element: Element, weight added: Int, for holder: Holder) -> [Element] {
        var refused: [Element] = []
        while weight + added > capacity {
            let own = lines[holder]?.weight ?? 0
            guard let longest = lines.max(by: { $0.value.weight < $1.value.weight }),
                longest.key != holder, longest.value.weight >= own + added, let last = removeLast(of: longest.key)
            else {
                return refused + [element]
            }
            refused.append(last)
        }
        append(element, weight: added, for: holder)
        return refused
    }

    /// Puts back what was begun and has to wait for its next turn, whether or not there is room.
    mutating func putBack(_ element: Element, weight: Int, for holder: Holder) {
        append(element, weight: weight, for: holder)
    }

    /// Takes the next request; each holder has its turn.
    ///
    /// - Returns: The request; nil when none waits.
    mutating func takeNext() -> Element? {
        guard !turns.isEmpty else { return nil }
        if nextTurn >= turns.count { nextTurn = 0 }
        let holder = turns[nextTurn]
        guard let index = lines.index(forKey: holder), let first = lines.values[index].takeFirst() else {
            return nil
        }
        weight -= first.weight
        if lines.values[index].isEmpty {
            lines.remove(at: index)
            turns.remove(at: nextTurn)
        } else {
            nextTurn += 1
        }
        return first.element
    }

    private mutating func append(_ element: Element, weight added: Int, for holder: Holder) {
        let isFirst = lines[holder, default: Line()].append(element, weight: added)
        if isFirst {
            turns.append(holder)
        }
        weight += added
    }

    private mutating func removeLast(of holder: Holder) -> Element? {
        guard let last = lines[holder]?.waiting.popLast() ?? nil else { return nil }
        lines[holder]?.weight -= last.weight
        weight -= last.weight
        if lines[holder]?.isEmpty == true {
            lines[holder] = nil
            turns.removeAll { $0 == holder }
        }
        return last.element
    }
}
