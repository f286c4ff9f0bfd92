package import Attribution

/// What an app means by its conversion values, from one day to another.
package struct ConversionSchema: Hashable, Sendable {
    /// Some bits of a fine value with a meaning of their own.
    package struct BitField: Hashable, Sendable {
        package let name: String
        /// The lowest bit, counted from 0.
        package let firstBit: Int
        package let count: Int
        /// What each of its values means; nil for none.
        package let meanings: [ConversionMeaning?]

        /// The bits in the whole value.
        var mask: Int {
            (1 << count - 1) << firstBit
        }

        /// The value of these bits in a fine value.
        package func part(of value: UInt8) -> Int {
            (Int(value) & mask) >> firstBit
        }
    }

    package let app: AppStoreItemID
    /// What people call it; nil if it has no name.
    package let name: String?
    /// The first day (UTC) on which the app sets values by it.
    package let from: CalendarDay
    /// The last day; nil until the next schema of the app begins.
    package internal(set) var through: CalendarDay?
    /// The currency of all revenue; nil if there is none.
    package let currency: CurrencyCode?
    /// The bit fields, from the lowest bit; empty for a schema of whole values.
    package let fields: [BitField]
    /// What each fine value means, by its number; nil for none.
    package let fine: [ConversionMeaning?]
    /// What coarse values mean in the first, second and third window.
    package let coarse: [[CoarseConversionValue: ConversionMeaning]]

    /// What a value means in a window, counted from 0; nil for a value without a meaning, and for no value.
    package func meaning(of conversion: Conversion, window: Int) -> ConversionMeaning? {
        switch conversion {
        case .absent, .null, .invalid: nil
        case .fine(let value): window == 0 ? fine[Int(value)] : nil
        case .coarse(let value): coarse.indices.contains(window) ? coarse[window][value] : nil
        }
    }

    func holds(on day: CalendarDay) -> Bool {
        from <= day && through.map { day <= $0 } ?? true
    }
}

/// What one conversion value means.
package struct ConversionMeaning: Hashable, Sendable {
    /// What the person did in the app.
    package let events: [String]
    /// The least and the greatest revenue; nil if the schema says nothing of revenue, which is not 0.
    package let revenue: ClosedRange<Money>?

    package init(events: [String], revenue: ClosedRange<Money>?) {
        self.events = events
        self.revenue = revenue
    }

    /// The meaning of two parts of a value together.
    static func + (left: ConversionMeaning, right: ConversionMeaning) -> ConversionMeaning {
        let revenue: ClosedRange<Money>? =
            if let first = left.revenue, let second = right.revenue {
                first.lowerBound + second.lowerBound...first.upperBound + second.upperBound
            } else {
                left.revenue ?? right.revenue
            }
        return ConversionMeaning(
            events: left.events + right.events.filter { !left.events.contains($0) }, revenue: revenue)
    }
}

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
