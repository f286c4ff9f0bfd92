package import Attribution
import StrictJSON

/// A key that verifies postbacks: whose it is, what it may verify, and when.
package struct PostbackVerificationKey: Sendable {
    /// The name in verdicts and stores.
    package let name: String
    /// The provenance of the postbacks it verifies.
    package let provenance: Provenance
    package let publicKey: SignaturePublicKey
    /// Whose postbacks it may verify.
    package private(set) var signers: [PostbackSigner]
    /// The times of first receipt for which it verifies, in Unix milliseconds.
    package let validity: Range<Int64>
    /// Whether the operator added it to Apple's built-in keys.
    package let isAdded: Bool

    /// A test key that the operator trusts.
    package static func test(_ publicKey: SignaturePublicKey) -> PostbackVerificationKey {
        PostbackVerificationKey(
            name: "test key \(publicKey.curve.displayName) \(publicKey.fingerprint.prefix(16))", provenance: .test,
            publicKey: publicKey, signers: PostbackSigner.ofTestKeys(publicKey.curve),
            validity: AppleKeyRecord.always, isAdded: false)
    }

    /// The built-in keys, followed by those that an operator added; records of one key with the same dates are one.
    ///
    /// A record of a built-in key only sets its dates. Of two records of one key and signer, the latter counts.
    ///
    /// - Throws: ``KeyProblem/noPublicKey(file:found:)`` for a record whose key cannot be read.
    static func apple(adding added: [AppleKeyRecord]) throws(KeyProblem) -> [PostbackVerificationKey] {
        var records = AppleKeyRecord.builtIn
        let builtInCount = records.count
        for record in added {
            guard let index = records.firstIndex(where: { $0.isSame(as: record) }) else {
                records.append(record)
                continue
            }
            let (former, isBuiltIn) = (records[index], index < builtInCount)
            records[index] = AppleKeyRecord(
                name: isBuiltIn ? former.name : record.name, publicKey: record.publicKey, signer: record.signer,
                provenance: isBuiltIn ? former.provenance : record.provenance, validity: record.validity)
        }
        var keys: [PostbackVerificationKey] = []
        for (number, record) in records.enumerated() {
            let known = keys.firstIndex {
                $0.name == record.name && $0.validity == record.validity
                    && $0.publicKey.subjectPublicKeyInfo == record.publicKey
            }
            if let known {
                keys[known].signers.append(record.signer)
                continue
            }
            guard let publicKey = SignaturePublicKey(subjectPublicKeyInfo: record.publicKey) else {
                let isBuiltIn = number < builtInCount
                throw .noPublicKey(
                    file: record.name + (isBuiltIn ? ", built in (does this OpenSSL have the curve?)" : ""),
                    found: .nothing)
            }
            keys.append(
                PostbackVerificationKey(
                    name: record.name, provenance: record.provenance, publicKey: publicKey, signers: [record.signer],
                    validity: record.validity, isAdded: number >= builtInCount))
        }
        return keys
    }

    /// Whether it verifies what was first received at a time; nil for one that does not matter.
    func isValid(at milliseconds: Int64?) -> Bool {
        guard let milliseconds else {
            return true
        }
        return validity.lowerBound <= milliseconds
            && (milliseconds < validity.upperBound || validity.upperBound == .max)
    }

    /// What it verifies, since when and until when, and its fingerprint, in one line.
    package var summary: String {
        let versions = signers.filter { $0.framework == .skAdNetwork }.map(\.name)
        let kids = signers.filter { $0.framework == .adAttributionKit }.map(\.name)
        let uses =
            (versions.isEmpty ? [] : ["SKAdNetwork " + versions.joined(separator: ", ")])
            + (kids.isEmpty ? [] : ["AdAttributionKit " + kids.joined(separator: ", ")])
        let from = validity.lowerBound == .min ? "" : ", from \(Moment(milliseconds: validity.lowerBound).text)"
        let until = validity.upperBound == .max ? "" : ", until \(Moment(milliseconds: validity.upperBound).text)"
        return "\(uses.joined(separator: " and ")), \(provenance == .apple ? "production" : provenance.rawValue)"
            + "\(from)\(until), \(publicKey.curve.displayName) SHA256:\(publicKey.fingerprint)"
    }
}

extension PostbackSigner {
    /// What test keys on a curve verify.
    fileprivate static func ofTestKeys(_ curve: SignatureCurve) -> [PostbackSigner] {
        SKAdNetworkVersion.allCases.filter { $0.postbackCurve == curve }.map { .skAdNetwork($0) }
            + (curve == .p256 ? [.adAttributionKit(.test)] : [])
    }
}

extension AppleKeyRecord {
    /// Apple's built-in keys; that on P-256 verifies SKAdNetwork and AdAttributionKit.
    static let builtIn: [AppleKeyRecord] =
        SKAdNetworkVersion.allCases.map { version in
            builtIn(.skAdNetwork(version), .apple, ApplePublicKeys.base64(version.postbackCurve))
        } + [
            builtIn(.adAttributionKit(.production), .apple, ApplePublicKeys.p256Base64),
            builtIn(.adAttributionKit(.developmentFlow), .development, ApplePublicKeys.developmentFlowBase64),
            builtIn(.adAttributionKit(.developerSettings), .development, ApplePublicKeys.developerSettingsBase64),
        ]

    private static func builtIn(_ signer: PostbackSigner, _ provenance: Provenance, _ base64: String) -> AppleKeyRecord
    {
        AppleKeyRecord(
            name: provenance == .apple
                ? "Apple's key on \(signer.curve.displayName)" : "Apple's development key \(signer.name)",
            publicKey: Base64.decode(base64) ?? [], signer: signer, provenance: provenance, validity: always)
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
