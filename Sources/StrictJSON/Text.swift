extension String {
    /// The text for use in a message: control and invisible characters escaped, cut to about `limit` characters.
    package func shortened(to limit: Int) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(limit * 4)
        var count = 0
        for scalar in unicodeScalars {
            guard count < limit else {
                result += "…".utf8
                break
            }
            count += 1
            if (0x20..<0x7F).contains(scalar.value) {
                result.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if scalar.isVisible {
                result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            } else {
                let escape = "\\u{\(String(scalar.value, radix: 16))}"
                result += escape.utf8
                count += escape.utf8.count - 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// Whether it can be seen, by itself or by its effect on its neighbours.
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}

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

extension Double {
    /// The number with exactly `places` decimal places, rounded to nearest, independent of locale.
    package func fixed(places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places {
            scale *= 10
        }
        let scaled = (self * scale).rounded()
        guard places > 0, scaled.magnitude < 1e15 else {
            return String(describing: self)
        }
        let whole = Int64(scaled.magnitude)
        let unit = Int64(scale)
        let fraction = String(whole % unit)
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(whole / unit)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
