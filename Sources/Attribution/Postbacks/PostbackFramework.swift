/// The framework a postback belongs to.
package enum PostbackFramework: String, CaseIterable, Hashable, Sendable {
    /// SKAdNetwork, 1.0 to 4.0.
    case skAdNetwork = "skadnetwork"
    /// AdAttributionKit.
    case adAttributionKit = "adattributionkit"
}
