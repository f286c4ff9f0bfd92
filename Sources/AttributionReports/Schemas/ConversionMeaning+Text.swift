package import Attribution

extension ConversionMeaning {
    /// The meaning in words, such as `trial, purchase; revenue 0.99 to 4.99 EUR`.
    package func text(in currency: CurrencyCode?) -> String {
        let words = events.isEmpty ? "no event" : events.joined(separator: ", ")
        guard let revenue else {
            return words + "; revenue not given"
        }
        let unit = currency.map { " \($0)" } ?? ""
        guard revenue.lowerBound < revenue.upperBound else {
            return "\(words); revenue \(revenue.lowerBound)\(unit)"
        }
        return "\(words); revenue \(revenue.lowerBound) to \(revenue.upperBound)\(unit)"
    }
}

extension ConversionSchema {
    /// The days on which it holds, such as `2026-10-01 to 2026-12-31`.
    package var days: String {
        through.map { "\(from) to \($0)" } ?? "from \(from) on"
    }

    /// What it is called, in quotes, and its days.
    package var title: String {
        name.map { "\"\($0)\", \(days)" } ?? days
    }

    /// The fine values without a meaning, such as `10-15, 63`; empty for none.
    package var unmappedFineValues: String {
        Self.ranges(of: fine.indices.filter { fine[$0] == nil })
    }

    /// Ascending numbers as ranges.
    static func ranges(of numbers: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ", ")
    }
}
