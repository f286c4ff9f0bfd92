/// The registrable domain (eTLD+1) of the web page that showed a web ad.
///
/// Version 4.0 only; in a postback only at the highest data tier.
///
/// - SeeAlso: [source-domain](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public typealias SourceDomain = SignableText<SourceDomainKind>

/// Tells ``SourceDomain`` from other texts.
public enum SourceDomainKind {}
