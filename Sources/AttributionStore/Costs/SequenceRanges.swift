/// Numbers of lines that a store has counted, as ranges with gaps between them.
package struct SequenceRanges: Hashable, Sendable {
    /// The ranges, ascending.
    package private(set) var ranges: [ClosedRange<Int64>] = []

    /// Takes ranges in any order, which may overlap.
    package init(_ ranges: some Sequence<ClosedRange<Int64>> = []) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    /// Adds a number.
    ///
    /// - Parameter number: The number, greater than the least there is.
    /// - Returns: Whether it is new.
    package mutating func insert(_ number: Int64) -> Bool {
        let after = indexOfFirst(above: number)
        if after > 0, ranges[after - 1].upperBound >= number {
            return false
        }
        let joinsLeft = after > 0 && ranges[after - 1].upperBound == number - 1
        let joinsRight = after < ranges.count && ranges[after].lowerBound - 1 == number
        switch (joinsLeft, joinsRight) {
        case (true, true):
            ranges[after - 1] = ranges[after - 1].lowerBound...ranges[after].upperBound
            ranges.remove(at: after)
        case (true, false): ranges[after - 1] = ranges[after - 1].lowerBound...number
        case (false, true): ranges[after] = number...ranges[after].upperBound
        case (false, false): ranges.insert(number...number, at: after)
        }
        return true
    }

    /// These numbers without some others.
    package func subtracting(_ others: SequenceRanges) -> SequenceRanges {
        var left: [ClosedRange<Int64>] = []
        var next = others.ranges[...]
        for range in ranges {
            var first: Int64? = range.lowerBound
            while let other = next.first, let start = first, other.lowerBound <= range.upperBound {
                if start < other.lowerBound {
                    left.append(start...other.lowerBound - 1)
                }
                guard other.upperBound < range.upperBound else {
                    // It may go on into the next range.
                    first = nil
                    break
                }
                first = max(start, other.upperBound + 1)
                next.removeFirst()
            }
            if let first {
                left.append(first...range.upperBound)
            }
        }
        return SequenceRanges(left)
    }

    /// Whether some numbers are in both.
    package func overlaps(_ others: SequenceRanges) -> Bool {
        subtracting(others) != self
    }

    /// The index of the first range that begins above a number.
    private func indexOfFirst(above number: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
