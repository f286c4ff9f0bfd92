package import Attribution

/// A key that verifies postbacks, with its name and whose it is.
package struct PostbackVerificationKey: Sendable {
    /// The name in verdicts and stores.
    package let name: String
    /// Whose key it is, and so which numbers its postbacks may enter.
    package let provenance: Provenance
    /// The key.
    package let publicKey: SignaturePublicKey

    /// A key the operator named as a test key; what it verifies never counts among Apple's.
    package static func test(_ publicKey: SignaturePublicKey) -> PostbackVerificationKey {
        PostbackVerificationKey(
            name: "test key \(publicKey.curve.displayName) \(publicKey.fingerprint.prefix(16))",
            provenance: .test,
            publicKey: publicKey
        )
    }

    /// Apple's key for a curve, built in; the one on P-256 is AdAttributionKit's too.
    static func apple(_ curve: SignatureCurve) throws(KeyProblem) -> PostbackVerificationKey {
        try builtIn("Apple's key on \(curve.displayName)", .apple, ApplePublicKeys.base64(curve))
    }

    /// Apple's two keys for development, built in.
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
