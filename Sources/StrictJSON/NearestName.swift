extension Sequence<String> {
    /// `; did you mean NAME?` for the name nearest to a misspelt one; empty if none is close.
    package func suggestion(for name: String) -> String {
        nearest(to: name).map { "; did you mean \($0)?" } ?? ""
    }

    /// The name nearest to a misspelt one: up to a third of its letters may be wrong, missing or swapped, or it may be
    /// an unambiguous prefix.
    package func nearest(to name: String) -> String? {
        let letters = Array(name.lowercased().unicodeScalars.prefix(40))
        guard letters.count > 1 else {
            return nil
        }
        let continued = filter { $0.lowercased().hasPrefix(name.lowercased()) }
        if continued.count == 1 {
            return continued.first
        }
        let distances = map { ($0, Self.distance(letters, Array($0.lowercased().unicodeScalars))) }
        guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= Swift.max(1, letters.count / 3) else {
            return nil
        }
        return best.0
    }

    /// How many letters must be changed, inserted, deleted or swapped with a neighbour.
    private static func distance(_ lhs: [Unicode.Scalar], _ rhs: [Unicode.Scalar]) -> Int {
        var rows = [Array(0...rhs.count)]
        for (row, left) in lhs.enumerated() {
            var next = [row + 1]
            for (column, right) in rhs.enumerated() {
                var cost = Swift.min(
                    rows[row][column + 1] + 1, next[column] + 1, rows[row][column] + (left == right ? 0 : 1))
                if row > 0, column > 0, left == rhs[column - 1], lhs[row - 1] == right {
                    cost = Swift.min(cost, rows[row - 1][column - 1] + 1)
                }
                next.append(cost)
            }
            rows.append(next)
        }
        return rows[lhs.count][rhs.count]
    }
}
