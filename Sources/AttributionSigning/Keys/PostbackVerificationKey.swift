package import Attribution

/// A key that verifies postbacks, with its name and provenance.
package struct PostbackVerificationKey: Sendable {
    /// The name in verdicts and stores.
    package let name: String
    /// The provenance of the postbacks it verifies.
    package let provenance: Provenance
    /// The key.
    package let publicKey: SignaturePublicKey

    /// A test key that the operator trusts.
    package static func test(_ publicKey: SignaturePublicKey) -> PostbackVerificationKey {
        PostbackVerificationKey(
            name: "test key \(publicKey.curve.displayName) \(publicKey.fingerprint.prefix(16))",
            provenance: .test,
            publicKey: publicKey
        )
    }

    /// Apple's built-in key for a curve; the one on P-256 is also AdAttributionKit's.
    static func apple(_ curve: SignatureCurve) throws(KeyProblem) -> PostbackVerificationKey {
        try builtIn("Apple's key on \(curve.displayName)", .apple, ApplePublicKeys.base64(curve))
    }

    /// One of Apple's two built-in development keys.
    static func development(_ keyID: PostbackKeyID, base64: String) throws(KeyProblem) -> PostbackVerificationKey {
        try builtIn("Apple's development key \(keyID.rawValue)", .development, base64)
    }

    private static func builtIn(
        _ name: String,
        _ provenance: Provenance,
        _ base64: String
    ) throws(KeyProblem) -> PostbackVerificationKey {
        guard let key = SignaturePublicKey(base64: base64) else {
            throw .noPublicKey(file: "\(name), built in (does this OpenSSL have the curve?)")
        }
        return PostbackVerificationKey(name: name, provenance: provenance, publicKey: key)
    }
}
