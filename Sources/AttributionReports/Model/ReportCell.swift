package import Attribution
package import StrictJSON

package enum ReportCell: Hashable, Sendable {
    /// The value of a dimension; empty for postbacks that have none.
    case key(String)
    /// Words, such as a reason.
    case text(String)
    /// A number of postbacks, installs or deliveries.
    case count(Int64)
    /// A share of a whole that is not 0.
    case share(Int64, of: Int64)
    /// The mean of some values, from their sum and their number, which is not 0.
    case mean(Int64, of: Int64)
    /// A number with a fixed count of decimal places.
    case decimal(Double, places: Int)
    /// An amount of money in the currency that the row names.
    case money(Money)
    /// Bounds of a number.
    case counts(ClosedRange<Int64>)
    /// Bounds of a share of a whole that is not 0.
    case shares(ClosedRange<Int64>, of: Int64)
    /// A moment, in Unix milliseconds.
    case time(Int64)
    /// How often each value occurs; only JSON has room for it.
    case histogram([ValueCount])
    /// No value: a rate whose denominator is 0, or a figure of days before anything was recorded.
    case absent

    /// How often a conversion value occurs.
    package struct ValueCount: Hashable, Sendable {
        let value: UInt8
        let count: Int64
    }

    /// A share; absent if there is nothing to have a share of.
    package static func rate(_ part: Int64, of whole: Int64) -> ReportCell {
        whole == 0 ? .absent : .share(part, of: whole)
    }

    /// Bounds of a share; absent if there is nothing to have a share of.
    static func rates(_ parts: ClosedRange<Int64>, of whole: Int64) -> ReportCell {
        whole == 0 ? .absent : .shares(parts, of: whole)
    }

    /// A mean; absent if there is nothing to take the mean of.
    static func average(_ sum: Int64, of count: Int64) -> ReportCell {
        count == 0 ? .absent : .mean(sum, of: count)
    }

    /// An amount, if it is known.
    static func optional(_ amount: Money?) -> ReportCell {
        amount.map(ReportCell.money) ?? .absent
    }

    /// A count, if it is known.
    static func optional(_ count: Int64?) -> ReportCell {
        count.map(ReportCell.count) ?? .absent
    }
}

extension ReportCell {
    /// The number of a count; 0 for any other cell.
    package var count: Int64 {
        if case .count(let count) = self { count } else { 0 }
    }

    /// What rows are sorted by, and how long bars are; nil for cells that are not numbers.
    package var number: Double? {
        switch self {
        case .count(let count): Double(count)
        case .share(let part, let whole), .mean(let part, let whole): Self.ratio(part, whole)
        case .decimal(let number, _): number
        case .money(let amount): Double(amount.micros)
        case .counts(let bounds), .shares(let bounds, _): Double(bounds.lowerBound)
        case .key, .text, .time, .histogram, .absent: nil
        }
    }

    /// The cell for people, with bounds as one text; empty for an absent value.
    package var text: String {
        switch self {
        case .key(let text), .text(let text): text
        case .count(let count): String(count)
        case .share(let part, let whole): Self.ratio(part, whole).fixed(places: Self.sharePlaces)
        case .mean(let sum, let count): Self.ratio(sum, count).fixed(places: Self.meanPlaces)
        case .decimal(let value, let places): value.fixed(places: places)
        case .money(let amount): amount.description
        case .counts, .shares:
            texts(isRange: true).reduce(into: []) { unique, text in
                if unique.last != text {
                    unique.append(text)
                }
            }.joined(separator: "–")
        case .time(let milliseconds): Moment(milliseconds: milliseconds).text
        case .histogram, .absent: ""
        }
    }

    /// The cell for programs, two texts in a column of bounds; empty for an absent value.
    func texts(isRange: Bool) -> [String] {
        switch self {
        case .counts(let bounds): [String(bounds.lowerBound), String(bounds.upperBound)]
        case .shares(let parts, let whole):
            [parts.lowerBound, parts.upperBound].map { Self.ratio($0, whole).fixed(places: Self.sharePlaces) }
        case .absent: Array(repeating: "", count: isRange ? 2 : 1)
        default: [text]
        }
    }

    /// The cell in JSON; null for an absent value, and for postbacks without a value.
    package var json: JSONText {
        switch self {
        case .key(let text): .value(text)
        case .text(let text): .string(text)
        case .count(let count): .integer(count)
        case .share(let part, let whole): .decimal(Self.ratio(part, whole), places: Self.sharePlaces)
        case .mean(let sum, let count): .decimal(Self.ratio(sum, count), places: Self.meanPlaces)
        case .decimal(let value, let places): .decimal(value, places: places)
        case .counts(let bounds): Self.bounds(.integer(bounds.lowerBound), .integer(bounds.upperBound))
        case .shares(let parts, let whole):
            Self.bounds(
                .decimal(Self.ratio(parts.lowerBound, whole), places: Self.sharePlaces),
                .decimal(Self.ratio(parts.upperBound, whole), places: Self.sharePlaces))
        // Numbers in JSON may lose digits in a reader.
        case .money, .time: .string(text)
        case .histogram(let counts): .object(counts.map { (String($0.value), .integer($0.count)) })
        case .absent: .null
        }
    }

    private static let sharePlaces = 4
    private static let meanPlaces = 2

    private static func bounds(_ lower: JSONText, _ upper: JSONText) -> JSONText {
        .object([SectionLayout.lower: lower, SectionLayout.upper: upper])
    }

    private static func ratio(_ part: Int64, _ whole: Int64) -> Double {
        Double(part) / Double(whole)
    }
}
