/// A signature to verify, with its digest and key.
package struct SignatureCheck: Sendable, BitwiseCopyable {
    /// The digest of the signed message.
    package let digest: MessageDigest

    /// The signature; one on another curve than the key's is invalid.
    package let signature: ECDSASignature

    /// The key's handle, from the verifier to use.
    package let key: FixedKey

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - digest: The digest of the signed message.
    ///   - signature: The signature.
    ///   - key: The key's handle, from the verifier to use.
    package init(digest: MessageDigest, signature: ECDSASignature, key: FixedKey) {
        self.digest = digest
        self.signature = signature
        self.key = key
    }
}
