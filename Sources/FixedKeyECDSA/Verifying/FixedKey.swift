/// A handle to a key of a `FixedKeyVerifier`, valid only for that verifier.
package struct FixedKey: Hashable, Sendable, BitwiseCopyable {
    /// The curve of the key.
    package let curve: ECDSACurve

    /// The index of the key among those on its curve.
    let index: Int
}
