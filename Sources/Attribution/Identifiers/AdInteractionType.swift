/// What somebody did with the ad an AdAttributionKit postback speaks of; never signed.
///
/// - SeeAlso: [ad-interaction-type](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
public enum AdInteractionType: String, CaseIterable, Hashable, Sendable {
    /// Tapped it.
    case click
    /// Saw it.
    case view
}
