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
    /// How often the timer can start again: with each of the 63 greater values, a day after the one before.
    static let restarts: Int64 = 63

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

    /// When the window begins and ends, in days after the first launch; for the timer, after it was started.
    package var window: ClosedRange<Int64> {
        switch self {
        case .timer: 0...1
        case .firstWindow: 0...2
        case .secondWindow: 2...7
        case .thirdWindow: 7...35
        }
    }

    /// The delay after the end of the timer, or after the end or the lock of the window, in days.
    package var delay: ClosedRange<Int64> {
        switch self {
        case .timer: 0...1
        case .firstWindow: 1...2
        case .secondWindow, .thirdWindow: 1...6
        }
    }

    /// How long after an app set a value the postback with it can arrive.
    ///
    /// The value may be set as the window ends, or be locked at once: both leave the shortest delay of a day. The timer
    /// runs a whole day, and its delay may be none.
    package var sinceValue: ClosedRange<Int64> {
        1...(window.upperBound - window.lowerBound + delay.upperBound + Self.retries)
    }

    /// How long after an ad was shown its last postback can arrive.
    package var sinceAd: Int64 {
        let restarts = self == .timer ? Self.restarts : 0
        return Self.adToInstall + Self.installToLaunch + restarts + window.upperBound + delay.upperBound + Self.retries
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
