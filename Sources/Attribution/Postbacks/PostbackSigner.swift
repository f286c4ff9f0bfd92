/// Who a postback says has signed it, and so which keys may verify it; no other key is tried.
package enum PostbackSigner: Hashable, Sendable {
    /// The key for versions of SKAdNetwork that are signed on a curve.
    case skAdNetwork(SignatureCurve)
    /// The key an AdAttributionKit postback names.
    case adAttributionKit(PostbackKeyID)
}
