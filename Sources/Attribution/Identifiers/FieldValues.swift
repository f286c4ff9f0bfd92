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
    /// `low`
    case low
    /// `medium`
    case medium
    /// `high`
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

    /// Makes a type from its number.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// How a person interacted with the ad of an AdAttributionKit postback; never signed.
///
/// - SeeAlso: [ad-interaction-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum AdInteractionType: String, CaseIterable, Hashable, Sendable {
    /// A tap.
    case click
    /// A view.
    case view
}
