/// The id under which an ad network is registered with Apple, for example `example123.skadnetwork`.
///
/// Registered in lower case, but signed as it stands in the source app's Info.plist and verified as received: letters
/// are never changed. All versions.
///
/// - SeeAlso: [ad-network-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public typealias AdNetworkID = SignableText<AdNetworkIDKind>

/// Tells ``AdNetworkID`` from other texts.
public enum AdNetworkIDKind {}
