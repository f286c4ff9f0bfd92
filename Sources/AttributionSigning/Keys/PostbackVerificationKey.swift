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
            name: "test key \(publicKey.curve.displayName) \(publicKey.fingerprint.prefix(16))", provenance: .test,
            publicKey: publicKey)
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
        _ name: String, _ provenance: Provenance, _ base64: String
    ) throws(KeyProblem) -> PostbackVerificationKey {
        guard let key = SignaturePublicKey(base64: base64) else {
            throw .noPublicKey(
                file: "\(name), built in (does this OpenSSL have the curve?)", found: .nothing)
        }
        return PostbackVerificationKey(name: name, provenance: provenance, publicKey: key)
    }
}

/// Apple's public keys for postbacks; also in `keys/` as PEM files.
package enum ApplePublicKeys {
    /// Verifies postbacks of SKAdNetwork 2.1 and later, and those of AdAttributionKit in production.
    ///
    /// - SeeAlso: [Verifying an install-validation
    ///   postback](https://developer.apple.com/documentation/storekit/verifying-an-install-validation-postback)
    package static let p256Base64 =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SP"
        + "ykE3YVK3sVqW6Af0lfx3gg=="

    /// Verifies postbacks of 1.0 and 2.0.
    ///
    /// - SeeAlso: [Combining parameters for previous SKAdNetwork postback
    ///   versions](https://developer.apple.com/documentation/storekit/combining-parameters-for-previous-skadnetwork-postback-versions)
    package static let p192Base64 =
        "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG"

    /// Verifies AdAttributionKit postbacks of development end-to-end flows, `apple-development-identifier/0`.
    ///
    /// - SeeAlso: [Verifying a
    ///   postback](https://developer.apple.com/documentation/adattributionkit/verifying-a-postback)
    package static let developmentFlowBase64 =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELeEDzpJEP+/qRSE5hJVC1p1J0ssUnQGMzBBbvnACBok8OVGGLgxL0myrKiy6lvRt"
        + "SlLRsWit87i+vftD8AEqeQ=="

    /// Verifies AdAttributionKit postbacks created in a device's developer settings, `apple-development-identifier/1`.
    ///
    /// - SeeAlso: [Creating postbacks in developer
    ///   settings](https://developer.apple.com/documentation/adattributionkit/creating-postbacks-in-developer-settings)
    package static let developerSettingsBase64 =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YzdO7eM97s/IJ25kdW5CZ3A14USE5IJ5Ha/vhWaxI6UBI1ZxCEvjrKxVluVGe6q"
        + "WwF1BDFq+QHqKfH5u+wxHQ=="

    /// The key for a curve, as base64 of DER SubjectPublicKeyInfo.
    package static func base64(_ curve: SignatureCurve) -> String {
        switch curve {
        case .p192: p192Base64
        case .p256: p256Base64
        }
    }
}
