/// The kind of conversion that an AdAttributionKit postback reports; signed.
///
/// - SeeAlso: [conversion-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum ConversionType: String, CaseIterable, Hashable, Sendable {
    /// The first install of the app under this Apple Account.
    case download
    /// An install of an app that had been installed before.
    case redownload
    /// A tap on an ad that opened an app that was already installed. **Not an install.**
    case reengagement = "re-engagement"

    /// What one page of Apple's calls ``reengagement``; it is read as such, and flagged.
    package static let unhyphenatedReengagement = "reengagement"

    /// Whether it is a redownload, like SKAdNetwork's `redownload`; nil for a re-engagement.
    package var isRedownload: Bool? {
        switch self {
        case .download: false
        case .redownload: true
        case .reengagement: nil
        }
    }
}

/// The coarse conversion value of version 4.0; never signed.
///
/// - SeeAlso: [coarse-conversion-value](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package enum CoarseConversionValue: String, CaseIterable, Hashable, Sendable {
    case low
    case medium
    case high
}

/// How an ad was presented.
///
/// An open set, because Apple may add numbers, and what is signed must be kept as received. From 2.2.
///
/// - SeeAlso: [fidelity-type](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package struct FidelityType: RawRepresentable, Hashable, Sendable {
    /// `0`: a view-through ad.
    package static let viewThrough = FidelityType(rawValue: 0)
    /// `1`: a StoreKit-rendered ad, or a web ad.
    package static let storeKitRendered = FidelityType(rawValue: 1)

    /// The number as signed.
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// How a person interacted with the ad of an AdAttributionKit postback; never signed.
///
/// - SeeAlso: [ad-interaction-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum AdInteractionType: String, CaseIterable, Hashable, Sendable {
    case click
    case view
    /// Any other value; the body says which.
    case other
}

/// The conversion value of a postback: absent, `null`, fine, coarse or invalid; never signed.
package enum Conversion: Hashable, Sendable {
    /// Neither `conversion-value` nor `coarse-conversion-value` is present.
    case absent
    /// One of them is present and `null`.
    case null
    /// A value out of range or of the wrong type, or both kinds at once; the install is still proven.
    case invalid
    /// `conversion-value`, 0…63.
    case fine(UInt8)
    /// `coarse-conversion-value`.
    case coarse(CoarseConversionValue)

    /// The range of a fine value.
    package static let fineRange: ClosedRange<Int64> = 0...63

    /// Every conversion, in the order in which outputs list them.
    package static let allCases =
        [.absent, .null, .invalid] + CoarseConversionValue.allCases.map(Conversion.coarse)
        + fineRange.compactMap(Conversion.init(fine:))

    /// The number of cases.
    package static let count = allCases.count

    /// Its index in ``allCases``; computed, because each row of a report needs hundreds.
    package var index: Int {
        switch self {
        case .absent: 0
        case .null: 1
        case .invalid: 2
        case .coarse(.low): 3
        case .coarse(.medium): 4
        case .coarse(.high): 5
        case .fine(let value): 6 + Int(value)
        }
    }

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

    /// Reads a ``description``; nil for any other text.
    package init?(_ description: String) {
        guard let conversion = Self.byDescription[description] else {
            return nil
        }
        self = conversion
    }

    private static let byDescription = Dictionary(uniqueKeysWithValues: allCases.map { ($0.description, $0) })
}
