package import StrictJSON

/// A compact JSON Web Signature with ES256, parsed strictly and not yet verified.
///
/// - SeeAlso: [RFC 7515, section 7.1](https://www.rfc-editor.org/rfc/rfc7515#section-7.1), and
///   [RFC 7518, section 3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4)
package struct CompactJWS: Hashable, Sendable {
    /// The beginning of `kid` in the header; no known key has a longer name.
    package let keyID: String
    package let payload: [UInt8]
    /// The signature: r‖s, two numbers of 32 bytes each.
    package let signature: [UInt8]
    /// The bytes that are signed: header, dot and payload as received.
    package let signedBytes: [UInt8]

    /// Parses a text.
    package init(_ text: String) throws(FieldProblem) {
        try self.init(utf8: Array(text.utf8))
    }

    /// Parses the UTF-8 bytes of a text.
    init(utf8: [UInt8]) throws(FieldProblem) {
        let dot = UInt8(ascii: ".")
        let (first, second, third) = utf8.withUnsafeBufferPointer { bytes in
            let first = bytes.firstIndex(of: dot, from: 0)
            let second = first.flatMap { bytes.firstIndex(of: dot, from: $0 + 1) }
            return (first, second, second.flatMap { bytes.firstIndex(of: dot, from: $0 + 1) })
        }
        guard let first, let second, third == nil else {
            throw FieldProblem(
                field: PostbackField.jwsString.rawValue,
                found: "\(utf8.count { $0 == dot } + 1) parts joined by dots",
                expected: "three parts: header.payload.signature")
        }
        let header = try Self.decoded(utf8[..<first], "header")
        payload = try Self.decoded(utf8[(first + 1)..<second], "payload")
        signature = try Self.decoded(utf8[(second + 1)...], "signature")
        guard signature.count == 64 else {
            throw Self.problem("signature", found: "\(signature.count) bytes", expected: "64 bytes, r and s of 32 each")
        }
        signedBytes = Array(utf8[..<second])
        let names: JSONObject
        do {
            names = try JSONObject(reading: header)
        } catch {
            throw Self.problem("header", found: error.description, expected: "one JSON object with unique names")
        }
        guard names.isString("alg", "ES256") else {
            throw Self.problem("header alg", found: names.summary(of: "alg"), expected: "\"ES256\"")
        }
        // RFC 7515 requires refusing unknown critical extensions.
        guard !names.has("crit") else {
            throw Self.problem("header crit", found: "extensions", expected: "none")
        }
        guard let keyID = names.excerpt(of: "kid") else {
            throw Self.problem("header kid", found: names.summary(of: "kid"), expected: "a string")
        }
        self.keyID = keyID
    }

    /// Names the key of a text that is a JWS by its form, and that no key of this release verifies; nil for any other.
    ///
    /// Whatever else is wrong with it, a later release may know its `kid`, its algorithm or its critical extensions. One
    /// without a signature, or with one that anybody could make, is no postback under a known key.
    static func unknownKey(_ utf8: UnsafeBufferPointer<UInt8>) -> String? {
        let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let header = Base64URL.decode(ArraySlice(parts[0])),
            let names = try? JSONObject(reading: header), let keyID = names.excerpt(of: "kid")
        else {
            return nil
        }
        guard PostbackKeyID.known.contains(PostbackKeyID(keyID)) else {
            return "\"\(keyID)\""
        }
        if names.has("crit") {
            return "\"\(keyID)\" with critical extensions"
        }
        guard let algorithm = names.excerpt(of: "alg"), algorithm != "ES256", algorithm.lowercasedASCII != "none",
            !algorithm.lowercasedASCII.hasPrefix("hs"), !algorithm.isEmpty
        else {
            return nil
        }
        return "\"\(keyID)\" with alg \"\(algorithm)\""
    }

    private static func decoded(_ part: ArraySlice<UInt8>, _ name: String) throws(FieldProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(part) else {
            throw problem(
                name, found: "\"\(String(decoding: part.prefix(200), as: UTF8.self).shortened(to: 40))\"",
                expected: "base64url without padding")
        }
        return bytes
    }

    private static func problem(_ part: String, found: String, expected: String) -> FieldProblem {
        FieldProblem(field: "\(PostbackField.jwsString.rawValue) \(part)", found: found, expected: expected)
    }
}

/// An elliptic curve that SKAdNetwork signs with, always with SHA-256.
package enum SignatureCurve: String, CaseIterable, Hashable, Sendable {
    /// NIST P-192, also called prime192v1 and secp192r1: postbacks of 1.0 and 2.0, network keys registered until 2020.
    case p192
    /// NIST P-256, also called prime256v1 and secp256r1: everything later.
    case p256

    /// The name in messages.
    package var displayName: String {
        switch self {
        case .p192: "P-192"
        case .p256: "P-256"
        }
    }
}

/// The encoding of an ECDSA signature; neither is ever read as the other.
package enum SignatureEncoding: Hashable, Sendable {
    /// DER `ECDSA-Sig-Value`: SKAdNetwork.
    case der
    /// r‖s, two numbers of the curve's size: JSON Web Signatures, used by AdAttributionKit.
    case concatenated
}
