/// A JSON Web Signature in its compact form, ES256 alone, taken apart strictly; nothing is proved yet.
///
/// - SeeAlso: [RFC 7515, section 7.1](https://www.rfc-editor.org/rfc/rfc7515#section-7.1), and
///   [RFC 7518, section 3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4)
public struct CompactJWS: Hashable, Sendable {
    /// `kid` of the header, its escapes decoded.
    public let keyID: String
    /// The bytes of the payload.
    public let payload: [UInt8]
    /// The signature: r‖s, two numbers of 32 bytes each.
    public let signature: [UInt8]
    /// What the signature covers: header, dot and payload as received.
    public let signedBytes: [UInt8]

    /// Takes a text apart.
    ///
    /// - Parameter text: Three parts in base64url without padding, joined by dots.
    /// - Throws: ``FieldProblem`` naming the part at fault: anything but three parts in their one spelling, a header
    ///   with a name twice or with `crit`, another `alg` than `ES256`, a signature that is not of 64 bytes.
    public init(_ text: String) throws(FieldProblem) {
        let utf8 = Array(text.utf8)
        let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw FieldProblem(
                field: PostbackField.jwsString.rawValue, found: "\(parts.count) parts joined by dots",
                expected: "three: header.payload.signature")
        }
        let header = try Self.decoded(parts[0], "header")
        payload = try Self.decoded(parts[1], "payload")
        signature = try Self.decoded(parts[2], "signature")
        guard signature.count == 64 else {
            throw Self.problem("signature", found: "\(signature.count) bytes", expected: "64 bytes, r and s of 32 each")
        }
        signedBytes = Array(utf8[..<parts[1].endIndex])
        let names: JSONObject
        do {
            names = try JSONObject(reading: header)
        } catch {
            throw Self.problem("header", found: error.description, expected: "one JSON object, each name once")
        }
        guard names["alg"] == .string("ES256") else {
            throw Self.problem("header alg", found: names["alg"]?.summary ?? "nothing", expected: "\"ES256\"")
        }
        // RFC 7515 wants a signature refused whose critical extensions one does not know.
        guard names["crit"] == nil else {
            throw Self.problem("header crit", found: "extensions", expected: "none")
        }
        guard case .string(let keyID) = names["kid"] else {
            throw Self.problem("header kid", found: names["kid"]?.summary ?? "nothing", expected: "a string")
        }
        self.keyID = keyID
    }

    private static func decoded(_ part: ArraySlice<UInt8>, _ name: String) throws(FieldProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(part) else {
            throw problem(
                name, found: "\"\(String(decoding: part, as: UTF8.self).shortened(to: 40))\"",
                expected: "base64url without padding")
        }
        return bytes
    }

    private static func problem(_ part: String, found: String, expected: String) -> FieldProblem {
        FieldProblem(field: "\(PostbackField.jwsString.rawValue) \(part)", found: found, expected: expected)
    }
}
