package import Attribution
package import StrictJSON

/// An AdAttributionKit postback before ``AppleStandIn`` signs it.
package struct AdAttributionKitDraft: Hashable, Sendable {
    /// The fields of the signed payload, in order.
    package var signed: [JSONField]
    /// The fields next to `jws-string`, in order; not signed.
    package var unproven: [JSONField]
    /// `kid` of the header.
    package var keyID: String

    /// Makes a draft.
    package init(signed: [JSONField], unproven: [JSONField], keyID: String = PostbackKeyID.test.rawValue) {
        self.signed = signed
        self.unproven = unproven
        self.keyID = keyID
    }

    /// Makes a draft of an existing postback.
    package init(_ postback: AdAttributionKitPostback) {
        self.init(signed: postback.signedFields, unproven: postback.unprovenFields, keyID: postback.keyID.rawValue)
    }

    /// The value of a signed field; setting nil removes it, and a new field is appended.
    package subscript(field: PostbackField) -> JSONValue? {
        get { signed[field] }
        set { signed[field] = newValue }
    }

    /// A copy with another value of a field; nil removes it.
    func replacing(_ field: PostbackField, with value: JSONValue?) -> AdAttributionKitDraft {
        var draft = self
        draft[field] = value
        return draft
    }

    /// The text to sign: header and payload in base64url, joined by a dot.
    package var signedText: String {
        // Apple's own header escapes the slash of its `kid`.
        let header = JSONText.object([("kid", .string(keyID)), ("alg", .string("ES256"))]).line
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")
        let payload = JSONText.object(signed.map { ($0.name, $0.value.text) }).line
        return Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
    }

    /// The body with a signature, as a device sends it.
    ///
    /// - Parameter signature: r‖s, 64 bytes.
    /// - Returns: The bytes of the JSON object.
    package func body(signature: [UInt8]) -> [UInt8] {
        let jws = JSONField(
            name: PostbackField.jwsString.rawValue,
            value: .string(signedText + "." + Base64URL.encode(signature)))
        return Array(JSONText.object(([jws] + unproven).map { ($0.name, $0.value.text) }).line.utf8)
    }
}
