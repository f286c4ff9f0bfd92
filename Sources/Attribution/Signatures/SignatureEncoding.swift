/// The encoding of an ECDSA signature; neither is ever read as the other.
package enum SignatureEncoding: Hashable, Sendable {
    /// DER `ECDSA-Sig-Value`: SKAdNetwork.
    case der
    /// r‖s, two numbers of the curve's size: JSON Web Signatures, used by AdAttributionKit.
    case concatenated
}
