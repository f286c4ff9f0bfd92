/// What an AdAttributionKit postback is the consequence of; signed.
///
/// - SeeAlso: [conversion-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
public enum ConversionType: String, CaseIterable, Hashable, Sendable {
    /// The first install of the app under this Apple Account.
    case download
    /// An install of an app that was there before.
    case redownload
    /// A tap on an ad that opened an app already installed. **Not an install.**
    case reengagement = "re-engagement"

    /// Whether it is a redownload, as SKAdNetwork's `redownload` says; nil for what is no install.
    public var isRedownload: Bool? {
        switch self {
        case .download: false
        case .redownload: true
        case .reengagement: nil
        }
    }
}
