/// What an AdAttributionKit postback is the consequence of; signed.
///
/// - SeeAlso: [conversion-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum ConversionType: String, CaseIterable, Hashable, Sendable {
    /// The first install of the app under this Apple Account.
    case download
    /// An install of an app that was there before.
    case redownload
    /// A tap on an ad that opened an app already installed. **Not an install.**
    case reengagement = "re-engagement"

    /// Whether it is a redownload, as SKAdNetwork's `redownload` says; nil for what is no install.
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
/// An open set, for a postback may carry a number that Apple adds later: it is signed, so it is kept. From 2.2.
///
/// - SeeAlso: [fidelity-type](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package struct FidelityType: RawRepresentable, Hashable, Sendable {
    /// `0`: a view-through ad.
    package static let viewThrough = FidelityType(rawValue: 0)
    /// `1`: a StoreKit-rendered ad, or a web ad.
    package static let storeKitRendered = FidelityType(rawValue: 1)

    /// The number as signed.
    package let rawValue: Int64

    /// Makes a type from the number as signed.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// What somebody did with the ad an AdAttributionKit postback speaks of; never signed.
///
/// - SeeAlso: [ad-interaction-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum AdInteractionType: String, CaseIterable, Hashable, Sendable {
    /// Tapped it.
    case click
    /// Saw it.
    case view
}
