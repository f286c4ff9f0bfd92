package import Attribution
package import StrictJSON

/// A postback of AdAttributionKit before Apple's stand-in signs it.
package struct AdAttributionKitDraft: Hashable, Sendable {
    /// The fields of the signed payload, in order.
    package var signed: [JSONField]
    /// The fields beside `jws-string`, in order; nobody signs them.
    package var unproven: [JSONField]
    /// `kid` of the header.
    package var keyID: String

    /// Makes a draft.
    package init(signed: [JSONField], unproven: [JSONField], keyID: String = PostbackKeyID.test.rawValue) {
        self.signed = signed
        self.unproven = unproven
        self.keyID = keyID
    }

    /// The draft of an existing postback, to be changed.
    package init(_ postback: AdAttributionKitPostback) {
        self.init(signed: postback.signedFields, unproven: postback.unprovenFields, keyID: postback.keyID.rawValue)
    }

    /// The value of a signed field; nil removes it, a new one stands last.
    package subscript(field: PostbackField) -> JSONValue? {
        get { signed[field] }
        set { signed[field] = newValue }
    }

    /// The same with another value of a field; nil removes it.
    func replacing(_ field: PostbackField, with value: JSONValue?) -> AdAttributionKitDraft {
        var draft = self
        draft[field] = value
        return draft
    }

    /// What a signature covers: header and payload in base64url, joined by a dot.
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
