/// What a postback says of conversion: nothing, `null`, a fine value or a coarse one; never signed.
///
/// Absent, `null` and 0 are three different facts and stay three cases.
public enum Conversion: Hashable, Sendable {
    /// Neither `conversion-value` nor `coarse-conversion-value` is there.
    case absent
    /// One of them is there and is `null`.
    case null
    /// `conversion-value`, 0…63.
    case fine(UInt8)
    /// `coarse-conversion-value`.
    case coarse(CoarseConversionValue)

    /// The range of a fine value.
    public static let fineRange: ClosedRange<Int64> = 0...63
}

extension Conversion: LosslessStringConvertible {
    /// `absent`, `null`, `0`…`63`, `low`, `medium` or `high`.
    public var description: String {
        switch self {
        case .absent: "absent"
        case .null: "null"
        case .fine(let value): String(value)
        case .coarse(let value): value.rawValue
        }
    }

    /// Reads what ``description`` writes; nil for any other text.
    public init?(_ description: String) {
        if description == "absent" {
            self = .absent
        } else if description == "null" {
            self = .null
        } else if let coarse = CoarseConversionValue(rawValue: description) {
            self = .coarse(coarse)
        } else if let fine = UInt8(description), Self.fineRange.contains(Int64(fine)) {
            self = .fine(fine)
        } else {
            return nil
        }
    }
}
