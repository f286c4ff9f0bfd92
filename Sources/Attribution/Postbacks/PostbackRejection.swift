package import StrictJSON

/// Why a body is not a verified postback.
package enum PostbackRejection: Error, Hashable, Sendable {
    /// The body is not one JSON object.
    case notJSON(JSONError)
    /// Fields are missing, of the wrong type or out of range; lists all of them.
    case malformed([FieldProblem])
    /// This release does not know the version.
    case unknownVersion(String)
    /// No key with this `kid` is known or trusted.
    case unknownKey(String)
    /// The signature verifies, and this release does not know some of the signed values.
    indirect case notUnderstood(VerifiedUnknownPostback)
    /// The signature does not verify under any of the keys tried.
    case invalidSignature(keys: [String])

    /// A stable code for stores, reports and responses.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        case notJSON = "not-json"
        case malformed
        case unknownVersion = "unknown-version"
        case unknownKey = "unknown-key"
        case notUnderstood = "not-understood"
        case invalidSignature = "invalid-signature"
    }

    package var code: Code {
        switch self {
        case .notJSON: .notJSON
        case .malformed: .malformed
        case .unknownVersion: .unknownVersion
        case .unknownKey: .unknownKey
        case .notUnderstood: .notUnderstood
        case .invalidSignature: .invalidSignature
        }
    }
}

extension PostbackRejection: CustomStringConvertible {
    /// What was found and what was expected.
    package var description: String {
        switch self {
        case .notJSON(let error):
            error.description
        case .malformed(let problems):
            Self.text(problems)
        case .notUnderstood(let verified):
            "verifies under \(verified.keyName), but this release does not know "
                + Self.text(verified.postback.problems)
        case .unknownVersion(let version):
            "version: found \(version.shortened(to: 60)), expected one of \(SKAdNetworkVersion.list)"
        case .unknownKey(let kid):
            "kid: found \(kid.shortened(to: 60)), expected one of \(PostbackKeyID.list), "
                + "or that of a key that was added"
        case .invalidSignature(let keys):
            "signature: does not verify under \(keys.joined(separator: " or ")); "
                + "a field was changed in transit, or Apple did not sign it"
        }
    }

    /// What says more than ``description``; nil for a rejection that says all.
    package var hint: String? {
        if case .invalidSignature = self { "skan verify --explain says why" } else { nil }
    }

    private static func text(_ problems: [FieldProblem]) -> String {
        problems.map(\.description).joined(separator: "; ")
    }
}
