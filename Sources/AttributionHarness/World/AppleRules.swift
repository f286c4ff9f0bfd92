package import Attribution

/// What devices do by Apple's rules, version by version; times are in milliseconds.
///
/// - SeeAlso: [Receiving ad attributions and
///   postbacks](https://developer.apple.com/documentation/storekit/receiving-ad-attributions-and-postbacks)
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
package struct AppleRules: Sendable {
    package static let hour: Int64 = 3_600_000
    package static let day: Int64 = 24 * hour

    /// How long after a tap an install may follow.
    package static let tapToInstall = 30 * day
    /// How long after a view an install may follow.
    package static let viewToInstall = day
    /// How long after an install the first launch, and with it the app's first call, may follow.
    package static let installToFirstCall = 60 * day
    /// How long after a re-engagement the app's first call may follow.
    package static let reengagementToFirstCall = 2 * day
    /// How many views a device remembers of one app that shows ads.
    package static let viewsPerSource = 15
    /// How many ads are considered for one install: a winner and five others.
    package static let consideredAds = 6
    /// The timer of versions up to 3.0.
    package static let timer = day
    /// When the three conversion windows end, counted from the first launch.
    package static let windowEnds = [2 * day, 7 * day, 35 * day]

    /// The version whose rules these are.
    package let version: AttributionVersion

    package init(_ version: AttributionVersion) {
        self.version = version
    }

    /// Whether there are view-through ads.
    package var hasViews: Bool {
        version >= .v2_2
    }

    /// Whether a tap goes before a view, however old it is; the most recent ad wins otherwise.
    package var tapsGoFirst: Bool {
        version >= .v2_2
    }

    /// How many other networks hear that they did not win.
    package var mostLosers: Int {
        version >= .v3_0 ? Self.consideredAds - 1 : 0
    }

    /// Whether there are three conversion windows, and a timer otherwise.
    package var hasWindows: Bool {
        version >= .v4_0
    }

    /// Whether a conversion has postbacks at all.
    package func registers(firstCallAfter delay: Int64, isReengagement: Bool = false) -> Bool {
        isReengagement
            ? version == .adAttributionKit && delay <= Self.reengagementToFirstCall
            : delay <= Self.installToFirstCall
    }

    /// How long after the end of the timer or of a window its postback is sent.
    package func delay(afterWindow sequenceIndex: Int) -> ClosedRange<Int64> {
        guard hasWindows else {
            return 0...Self.day
        }
        return Self.day...(sequenceIndex == 0 ? 2 : 6) * Self.day
    }
}

/// What a simulated device speaks: a version of SKAdNetwork, or AdAttributionKit.
package enum AttributionVersion: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case v1_0, v2_0, v2_1, v2_2, v3_0, v4_0, adAttributionKit

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

/// When a device tries to deliver a postback: nine times over nine days, until a server answers 200.
///
/// Apple says no more; here a try follows each day after the last one, up to an hour later.
package struct RetrySchedule: Sendable {
    /// How many tries there are, the first one included.
    package static let tries = 9

    private let first: Int64
    private let jitter: Int64

    /// Makes a schedule from the time of the first try, in milliseconds.
    package init(first: Int64, using generator: inout some RandomNumberGenerator) {
        self.first = first
        jitter = Int64.random(in: 0...AppleRules.hour, using: &generator)
    }

    /// The time of a try, counted from 0.
    package func time(ofTry number: Int) -> Int64 {
        // The last try is within nine days of the first, by any jitter.
        first + Int64(number) * (AppleRules.day + jitter)
    }

    /// The first try, counted from 0, that reaches a server; nil when the device gives up.
    package func firstDelivered(outside outages: [Range<Int64>]) -> Int? {
        (0..<Self.tries).first { number in
            !outages.contains { $0.contains(time(ofTry: number)) }
        }
    }
}
