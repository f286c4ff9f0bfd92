/// How long Apple's rules let a postback take, in days; what is derived from them is explained in `Schemas.md`.
///
/// - SeeAlso: [Receiving ad attributions and
///   postbacks](https://developer.apple.com/documentation/storekit/receiving-ad-attributions-and-postbacks)
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
package enum PostbackTiming: Hashable, Sendable, CaseIterable {
    /// The timer of SKAdNetwork up to 3.0, which starts again with each greater value.
    case timer
    /// A conversion window of SKAdNetwork 4.0 and AdAttributionKit.
    case firstWindow, secondWindow, thirdWindow

    /// How long after a tap on an ad the install may follow; a view has less.
    package static let adToInstall: Int64 = 30
    /// How long after the install the first launch may follow.
    package static let installToLaunch: Int64 = 60
    /// For how long a device repeats a postback that is not answered with 200.
    package static let retries: Int64 = 9

    /// The timing of a postback.
    ///
    /// - Parameters:
    ///   - version: The version of SKAdNetwork; nil for AdAttributionKit.
    ///   - sequenceIndex: Its window, counted from 0; nil where there are none.
    package init(version: SKAdNetworkVersion?, sequenceIndex: Int64?) {
        guard version.map({ $0 >= .v4_0 }) ?? true else {
            self = .timer
            return
        }
        self =
            switch sequenceIndex ?? 0 {
            case 0: .firstWindow
            case 1: .secondWindow
            default: .thirdWindow
            }
    }

    /// How long the timer runs, or how long the window is open.
    private var length: Int64 {
        switch self {
        case .timer: 1
        case .firstWindow: 2
        case .secondWindow: 5
        case .thirdWindow: 28
        }
    }

    /// The longest delay after the end of the timer, or after the end or the lock of the window.
    private var longestDelay: Int64 {
        switch self {
        case .timer: 1
        case .firstWindow: 2
        case .secondWindow, .thirdWindow: 6
        }
    }

    /// How long after an app set a value the postback with it can arrive.
    ///
    /// The value may be set as the window ends, or be locked at once: both leave the shortest delay of a day. The timer
    /// runs a whole day, and its delay may be none.
    package var sinceValue: ClosedRange<Int64> {
        1...(length + longestDelay + Self.retries)
    }

    /// How long after an ad was shown its last postback can arrive.
    ///
    /// The timer can be restarted by each of the 63 greater values, each a day after the one before.
    package var sinceAd: Int64 {
        let untilLaunch = Self.adToInstall + Self.installToLaunch
        return switch self {
        case .timer: untilLaunch + 63 + length + longestDelay + Self.retries
        case .firstWindow: untilLaunch + 2 + longestDelay + Self.retries
        case .secondWindow: untilLaunch + 7 + longestDelay + Self.retries
        case .thirdWindow: untilLaunch + 35 + longestDelay + Self.retries
        }
    }

    /// What has the timing, in words.
    package var title: String {
        switch self {
        case .timer: "up to 3.0"
        case .firstWindow: "window 1"
        case .secondWindow: "window 2"
        case .thirdWindow: "window 3"
        }
    }
}
