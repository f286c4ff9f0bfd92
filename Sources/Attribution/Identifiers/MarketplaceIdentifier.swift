/// The marketplace an app was installed from, for example `com.apple.AppStore`; signed.
///
/// - SeeAlso: [marketplace-identifier](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
public typealias MarketplaceIdentifier = SignableText<MarketplaceIdentifierKind>

/// Tells ``MarketplaceIdentifier`` from other texts.
public enum MarketplaceIdentifierKind {}
