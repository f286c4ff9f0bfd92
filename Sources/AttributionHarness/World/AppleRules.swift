/// What devices do by Apple's rules, version by version; times are in milliseconds.
///
/// - SeeAlso: [Receiving ad attributions and
///   postbacks](https://developer.apple.com/documentation/storekit/receiving-ad-attributions-and-postbacks)
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
package struct AppleRules: Sendable {
    /// An hour.
    package static let hour: Int64 = 3_600_000
    /// A day.
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

    /// The rules of a version.
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
    ///
    /// - Parameters:
    ///   - delay: How long after the install, or the re-engagement, the app calls for the first time.
    ///   - isReengagement: Whether it is a re-engagement, which AdAttributionKit alone has.
    /// - Returns: Whether the call was in time.
    package func registers(firstCallAfter delay: Int64, isReengagement: Bool = false) -> Bool {
        isReengagement
            ? version == .adAttributionKit && delay <= Self.reengagementToFirstCall
            : delay <= Self.installToFirstCall
    }

    /// How long after the end of the timer or of a window its postback is sent.
    ///
    /// - Parameter sequenceIndex: The window; 0 for the timer.
    /// - Returns: The shortest and the longest delay, between which the device draws.
    package func delay(afterWindow sequenceIndex: Int) -> ClosedRange<Int64> {
        guard hasWindows else {
            return 0...Self.day
        }
        return Self.day...(sequenceIndex == 0 ? 2 : 6) * Self.day
    }
}
