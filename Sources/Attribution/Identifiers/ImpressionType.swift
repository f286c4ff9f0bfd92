/// The kind of an AdAttributionKit impression as its `impression-type` names it; signed.
///
/// An open set, for Apple may add kinds: it is text as received.
public typealias ImpressionType = SignableText<ImpressionTypeKind>

/// Tells ``ImpressionType`` from other texts.
public enum ImpressionTypeKind {}
