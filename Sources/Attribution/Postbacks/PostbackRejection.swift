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
    /// The signature does not verify under any of the keys tried.
    case invalidSignature(keys: [String])

    /// A stable code for stores, reports and responses.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        /// ``PostbackRejection/notJSON(_:)``
        case notJSON = "not-json"
        /// ``PostbackRejection/malformed(_:)``
        case malformed
        /// ``PostbackRejection/unknownVersion(_:)``
        case unknownVersion = "unknown-version"
        /// ``PostbackRejection/unknownKey(_:)``
        case unknownKey = "unknown-key"
        /// ``PostbackRejection/invalidSignature(keys:)``
        case invalidSignature = "invalid-signature"
    }

    /// The stable code.
    package var code: Code {
        switch self {
        case .notJSON: .notJSON
        case .malformed: .malformed
        case .unknownVersion: .unknownVersion
        case .unknownKey: .unknownKey
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
            problems.map(\.description).joined(separator: "; ")
        case .unknownVersion(let version):
            "version: found \(version.shortened(to: 60)), expected one of \(SKAdNetworkVersion.list)"
        case .unknownKey(let kid):
            "kid: found \(kid.shortened(to: 60)), expected one of \(PostbackKeyID.list)"
        case .invalidSignature(let keys):
            "signature: does not verify under \(keys.joined(separator: " or ")); "
                + "a field was changed in transit, or Apple did not sign it"
        }
    }
}
