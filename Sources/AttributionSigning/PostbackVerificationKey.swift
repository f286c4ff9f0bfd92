public import Attribution

/// A key that verifies postbacks, with its name and whose it is.
public struct PostbackVerificationKey: Sendable {
    /// The name in verdicts and stores.
    public let name: String
    /// Whose key it is, and so which numbers its postbacks may enter.
    public let provenance: Provenance
    /// The key.
    public let publicKey: SignaturePublicKey

    /// A key the operator named as a test key; what it verifies never counts among Apple's.
    public static func test(_ publicKey: SignaturePublicKey) -> PostbackVerificationKey {
        PostbackVerificationKey(
            name: "test key \(publicKey.curve.displayName) \(publicKey.fingerprint.prefix(16))",
            provenance: .test,
            publicKey: publicKey
        )
    }

    /// Apple's key for a curve, built in.
    static func apple(_ curve: SignatureCurve) throws(KeyProblem) -> PostbackVerificationKey {
        guard let key = SignaturePublicKey(base64: ApplePublicKeys.base64(curve)) else {
            throw .noPublicKey(file: "Apple's \(curve.displayName) key, built in (does this OpenSSL have the curve?)")
        }
        return PostbackVerificationKey(
            name: "Apple's key on \(curve.displayName)", provenance: .apple, publicKey: key)
    }
}
