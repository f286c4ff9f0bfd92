/// A version of SKAdNetwork that this product can sign and verify.
///
/// - SeeAlso: [SKAdNetwork release
///   notes](https://developer.apple.com/documentation/storekit/skadnetwork-release-notes)
package enum SKAdNetworkVersion: String, CaseIterable, Hashable, Sendable, Comparable {
    /// iOS 11.3: campaign and advertised app.
    case v1_0 = "1.0"
    /// iOS 14.0: source app, conversion value, redownload.
    case v2_0 = "2.0"
    /// iOS 14.0 with Apple's P-256 key.
    case v2_1 = "2.1"
    /// iOS 14.5: view-through ads and fidelity.
    case v2_2 = "2.2"
    /// iOS 14.6: winning and non-winning postbacks.
    case v3_0 = "3.0"
    /// iOS 16.1: three windows, hierarchical source identifier, web ads.
    case v4_0 = "4.0"

    /// Orders versions by release.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.ordinal < rhs.ordinal
    }

    /// The index in order of release; a switch, because comparing strings for every postback is slow.
    package var ordinal: Int {
        switch self {
        case .v1_0: 0
        case .v2_0: 1
        case .v2_1: 2
        case .v2_2: 3
        case .v3_0: 4
        case .v4_0: 5
        }
    }

    /// The curve of Apple's key for postbacks of this version.
    package var postbackCurve: SignatureCurve { self <= .v2_0 ? .p192 : .p256 }

    /// Whether the signature of a postback covers `redownload`; from 2.0.
    package var signsRedownload: Bool { self >= .v2_0 }

    /// Whether impressions and postbacks carry a fidelity type; from 2.2.
    package var hasFidelityType: Bool { self >= .v2_2 }

    /// Whether impressions have a hierarchical source identifier instead of a campaign id; from 4.0.
    package var hasSourceIdentifier: Bool { self >= .v4_0 }

    /// All versions, oldest first, for messages.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
