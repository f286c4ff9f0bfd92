/// What a postback says of conversion: nothing, `null`, a fine value, a coarse one or something else; never signed.
///
/// Absent, `null`, 0 and what is no conversion value are four different facts and stay four cases.
package enum Conversion: Hashable, Sendable {
    /// Neither `conversion-value` nor `coarse-conversion-value` is there.
    case absent
    /// One of them is there and is `null`.
    case null
    /// A value out of range or of the wrong type, or both kinds at once: kept apart, for the install is proven all the
    /// same.
    case invalid
    /// `conversion-value`, 0…63.
    case fine(UInt8)
    /// `coarse-conversion-value`.
    case coarse(CoarseConversionValue)

    /// The range of a fine value.
    package static let fineRange: ClosedRange<Int64> = 0...63

    /// Every conversion without a fine value, in the order in which stores and outputs list them.
    package static let coarseCases: [Conversion] =
        [.absent, .null, .invalid] + CoarseConversionValue.allCases.map(Conversion.coarse)
    /// Every conversion, in the order in which stores and outputs list them.
    package static let allCases = coarseCases + fineRange.compactMap(Conversion.init(fine:))

    /// A fine value; nil for one out of range.
    init?(fine value: Int64) {
        guard Self.fineRange.contains(value) else {
            return nil
        }
        self = .fine(UInt8(value))
    }
}

extension Conversion: LosslessStringConvertible {
    /// `absent`, `null`, `invalid`, `0`…`63`, `low`, `medium` or `high`.
    package var description: String {
        switch self {
        case .absent: "absent"
        case .null: "null"
        case .invalid: "invalid"
        case .fine(let value): String(value)
        case .coarse(let value): value.rawValue
        }
    }

    /// Reads what ``description`` writes; nil for any other text.
    package init?(_ description: String) {
        guard let conversion = Self.byDescription[description] else {
            return nil
        }
        self = conversion
    }

    private static let byDescription = Dictionary(uniqueKeysWithValues: allCases.map { ($0.description, $0) })
}
