package import Attribution

/// What a simulated device speaks: a version of SKAdNetwork, or AdAttributionKit.
package enum AttributionVersion: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case v1_0, v2_0, v2_1, v2_2, v3_0, v4_0, adAttributionKit

    /// The version by its name in scenarios; nil for an unknown one.
    package init?(name: String) {
        guard let version = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = version
    }

    /// Its name in scenarios.
    package var name: String {
        skAdNetwork?.rawValue ?? "AdAttributionKit"
    }

    /// The version of SKAdNetwork; nil for AdAttributionKit.
    package var skAdNetwork: SKAdNetworkVersion? {
        switch self {
        case .v1_0: .v1_0
        case .v2_0: .v2_0
        case .v2_1: .v2_1
        case .v2_2: .v2_2
        case .v3_0: .v3_0
        case .v4_0: .v4_0
        case .adAttributionKit: nil
        }
    }

    /// The older version first; AdAttributionKit is the newest.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
