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
        case notJSON = "not-json"
        case malformed
        case unknownVersion = "unknown-version"
        case unknownKey = "unknown-key"
        case invalidSignature = "invalid-signature"
    }

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
            "kid: found \(kid.shortened(to: 60)), expected one of \(PostbackKeyID.list), "
                + "or that of a key that was added"
        case .invalidSignature(let keys):
            "signature: does not verify under \(keys.joined(separator: " or ")); "
                + "a field was changed in transit, or Apple did not sign it"
        }
    }
}

/// Recognizes postbacks of unknown versions or keys that a later release may be able to verify.
///
/// These must be kept until an upgrade, but anyone can send `"version": "9.9"`.
package enum FuturePostback {
    /// Whether a rejected body looks like a genuine postback except for its version or key.
    package static func isPlausible(_ rejection: PostbackRejection, body: [UInt8]) -> Bool {
        guard let object = try? JSONObject(reading: body) else {
            return false
        }
        return switch rejection {
        case .unknownVersion: isPlausibleSKAdNetwork(object)
        case .unknownKey: isPlausibleAdAttributionKit(object)
        case .notJSON, .malformed, .invalidSignature: false
        }
    }

    private static func isPlausibleSKAdNetwork(_ object: JSONObject) -> Bool {
        guard case .string(let version) = object[PostbackField.version.rawValue], isPlausibleVersion(version),
            isIdentifier(.adNetworkID, of: object), isIdentifier(.transactionID, of: object),
            case .integer = object[PostbackField.appID.rawValue],
            case .string(let text) = object[PostbackField.attributionSignature.rawValue],
            let signature = Base64.decode(text)
        else {
            return false
        }
        return isPairOfIntegers(signature)
    }

    private static func isPlausibleAdAttributionKit(_ object: JSONObject) -> Bool {
        guard case .string(let text) = object[PostbackField.jwsString.rawValue], let jws = try? CompactJWS(text),
            jws.keyID.utf8.starts(with: "apple-".utf8), let payload = try? JSONObject(reading: jws.payload)
        else {
            return false
        }
        return isIdentifier(.postbackIdentifier, of: payload) && isIdentifier(.adNetworkIdentifier, of: payload)
    }

    private static func isIdentifier(_ field: PostbackField, of object: JSONObject) -> Bool {
        if case .string(let text) = object[field.rawValue] { SignedTextSeparator.admits(text) } else { false }
    }

    /// One or two digits, a dot, one or two digits.
    private static func isPlausibleVersion(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                (1...2).contains(part.count)
                    && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }

    /// Whether bytes are a DER SEQUENCE of two INTEGERs, like an ECDSA signature on any curve.
    private static func isPairOfIntegers(_ der: [UInt8]) -> Bool {
        guard let content = element(0x30, in: der[...]), content.endIndex == der.endIndex,
            let r = element(0x02, in: content), let s = element(0x02, in: content[r.endIndex...])
        else {
            return false
        }
        return !r.isEmpty && !s.isEmpty && s.endIndex == content.endIndex
    }

    /// The content of the DER element that the bytes begin with, if it has the tag; supports lengths below 256.
    private static func element(_ tag: UInt8, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= 2, bytes[bytes.startIndex] == tag else {
            return nil
        }
        var start = bytes.startIndex + 2
        var count = Int(bytes[bytes.startIndex + 1])
        if count == 0x81, bytes.count >= 3 {
            count = Int(bytes[start])
            start += 1
        }
        guard count < 0x80 || start == bytes.startIndex + 3, bytes.endIndex - start >= count else {
            return nil
        }
        return bytes[start..<(start + count)]
    }
}
