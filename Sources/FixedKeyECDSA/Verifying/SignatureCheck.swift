/// A question to a verifier: whether the holder of this key signed this digest.
package struct SignatureCheck: Sendable, BitwiseCopyable {
    /// The digest of the signed message.
    package let digest: MessageDigest

    /// The signature; one of another curve than the key's is invalid.
    package let signature: ECDSASignature

    /// The key, as the verifier that is asked has named it.
    package let key: FixedKey

    /// Puts a question together.
    ///
    /// - Parameters:
    ///   - digest: The digest of the signed message.
    ///   - signature: The signature.
    ///   - key: The key, as the verifier that is to be asked has named it.
    package init(digest: MessageDigest, signature: ECDSASignature, key: FixedKey) {
        self.digest = digest
        self.signature = signature
        self.key = key
    }
}
