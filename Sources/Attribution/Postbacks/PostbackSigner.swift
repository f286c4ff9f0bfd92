/// The claimed signer of a postback, which determines the keys that may verify it.
package enum PostbackSigner: Hashable, Sendable {
    /// Apple's SKAdNetwork key on a curve.
    case skAdNetwork(SignatureCurve)
    /// The key that an AdAttributionKit postback names.
    case adAttributionKit(PostbackKeyID)
}
