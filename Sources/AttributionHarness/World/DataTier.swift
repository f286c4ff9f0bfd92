/// How much a postback may say, by the size of the crowd it comes from.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
package enum DataTier: Int, CaseIterable, Comparable, Sendable {
    case zero, one, two, three

    /// Whether a first postback shows the fine value; it shows the coarse one in tier 1.
    package var showsFine: Bool {
        self >= .two
    }

    /// Whether a first postback shows who showed the ad.
    package var showsSource: Bool {
        self == .three
    }

    /// Whether anything but the first postback is sent, and whether AdAttributionKit names the marketplace.
    package var hasLaterWindows: Bool {
        self >= .one
    }

    /// The smaller crowd first.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

/// How many installs of a day make a crowd; Apple publishes no figure.
package struct CrowdThresholds: Hashable, Sendable {
    /// From how many installs on with one app and identifier tier 1 begins.
    package var tierOne = 10.0
    /// The same for tier 2.
    package var tierTwo = 30.0
    /// From how many installs on with one app, identifier and app that shows the ad tier 3 begins.
    package var tierThree = 60.0
    /// From how many installs on with one app and campaign a postback up to 3.0 shows all it can.
    package var single = 30.0
    /// From how many installs on with one app, identifier and country a postback shows the country.
    package var country = 30.0

    /// The figures used where a scenario says nothing.
    package init() {}

    /// The tier of a crowd.
    ///
    /// - Parameters:
    ///   - identifier: The installs of the day with one app and identifier.
    ///   - source: Those of them whose ad the same app or domain showed.
    /// - Returns: The tier.
    package func tier(identifier: Double, source: Double) -> DataTier {
        if identifier < tierOne {
            .zero
        } else if identifier < tierTwo {
            .one
        } else {
            source < tierThree ? .two : .three
        }
    }
}

/// What a device decides of an identifier: how many digits it shows, in which tier.
package struct TierChoice: Hashable, Sendable {
    /// The tier.
    package let tier: DataTier
    /// The digits of the source identifier, 2, 3 or 4, counted from its end.
    package let digits: Int

    /// Decides: the highest tier, among equals the most digits; tiers 0 and 1 have two.
    ///
    /// - Parameters:
    ///   - two: The tier of the form of two digits.
    ///   - three: That of three.
    ///   - four: That of four.
    package init(two: DataTier, three: DataTier, four: DataTier) {
        let best = max(two, three, four)
        tier = best
        digits = best <= .one ? 2 : four == best ? 4 : three == best ? 3 : 2
    }
}
