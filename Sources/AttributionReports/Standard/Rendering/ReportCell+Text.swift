import Attribution
import Foundation
package import StrictJSON

extension ReportCell {
    /// The number of decimal places of shares.
    private static let sharePlaces = 4
    /// The number of decimal places of means.
    private static let meanPlaces = 2

    /// The cell for programs, which for bounds is two cells; empty for what is absent.
    ///
    /// - Parameter isRange: Whether the column has bounds, so that what is absent is two cells as well.
    /// - Returns: One text, or two.
    func texts(isRange: Bool) -> [String] {
        switch self {
        case .counts(let bounds): [String(bounds.lowerBound), String(bounds.upperBound)]
        case .shares(let parts, let whole):
            [parts.lowerBound, parts.upperBound].map { Self.ratio($0, whole).fixed(places: Self.sharePlaces) }
        case .absent: Array(repeating: "", count: isRange ? 2 : 1)
        case .key, .text, .count, .share, .mean, .decimal, .money, .time: [text]
        }
    }

    /// The cell for people, bounds as one text; empty for what is absent.
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
        case .absent: ""
        }
    }

    /// The cell in JSON; null for what is absent, and for postbacks without a value.
    package var json: JSONText {
        switch self {
        case .key(let text): .value(text)
        case .text(let text): .string(text)
        case .count(let count): .integer(count)
        case .share(let part, let whole): .decimal(Self.ratio(part, whole), places: Self.sharePlaces)
        case .mean(let sum, let count): .decimal(Self.ratio(sum, count), places: Self.meanPlaces)
        case .decimal(let value, let places): .decimal(value, places: places)
        case .counts(let bounds):
            Self.bounds(.integer(bounds.lowerBound), .integer(bounds.upperBound))
        case .shares(let parts, let whole):
            Self.bounds(
                .decimal(Self.ratio(parts.lowerBound, whole), places: Self.sharePlaces),
                .decimal(Self.ratio(parts.upperBound, whole), places: Self.sharePlaces))
        // Numbers in JSON may lose digits in a reader.
        case .money, .time: .string(text)
        case .absent: .null
        }
    }

    private static func bounds(_ lower: JSONText, _ upper: JSONText) -> JSONText {
        .object([SectionLayout.lower: lower, SectionLayout.upper: upper])
    }

    private static func ratio(_ part: Int64, _ whole: Int64) -> Double {
        Double(part) / Double(whole)
    }
}
