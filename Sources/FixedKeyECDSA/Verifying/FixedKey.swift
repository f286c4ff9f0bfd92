/// The name of a key that a `FixedKeyVerifier` knows; it means nothing to any other verifier.
package struct FixedKey: Hashable, Sendable, BitwiseCopyable {
    /// The curve of the key.
    package let curve: ECDSACurve

    /// The number of the key among those of its curve.
    let index: Int
}
