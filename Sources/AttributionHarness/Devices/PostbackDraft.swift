package import Attribution
package import StrictJSON

/// The fields of an SKAdNetwork postback before ``AppleStandIn`` signs it, in order.
package struct PostbackDraft: SignableDraft, Hashable, Sendable {
    /// Names and values, without `attribution-signature`.
    package var fields: [JSONField]

    package init(_ fields: [JSONField]) {
        self.fields = fields.filter { $0.name != PostbackField.attributionSignature.rawValue }
    }

    /// Makes a draft of an existing body, without its signature.
    package init(_ postback: SKAdNetworkPostback) {
        self.init(postback.fields)
    }

    /// The value of a field; setting nil removes it, and a new field is appended.
    package subscript(field: PostbackField) -> JSONValue? {
        get { fields[field] }
        set { fields[field] = newValue }
    }

    /// The body as a device sends it, with a DER signature.
    package func body(signature: [UInt8]) -> [UInt8] {
        var fields = fields
        fields[.attributionSignature] = .string(Base64.encode(signature))
        return fields.body
    }
}

/// An AdAttributionKit postback before ``AppleStandIn`` signs it.
package struct AdAttributionKitDraft: SignableDraft, Hashable, Sendable {
    /// The fields of the signed payload, in order.
    package var signed: [JSONField]
    /// The fields next to `jws-string`, in order; not signed.
    package var unproven: [JSONField]
    /// `kid` of the header.
    package var keyID: String

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

    /// The text to sign: header and payload in base64url, joined by a dot.
    package var signedText: String {
        // Apple's own header escapes the slash of its `kid`.
        let header = JSONText.object([("kid", .string(keyID)), ("alg", .string("ES256"))]).line
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")
        return Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(signed.body)
    }

    /// The body as a device sends it, with a signature of 64 bytes, r‖s.
    package func body(signature: [UInt8]) -> [UInt8] {
        let jws = JSONField(
            name: PostbackField.jwsString.rawValue,
            value: .string(signedText + "." + Base64URL.encode(signature)))
        return ([jws] + unproven).body
    }
}

/// A draft of either framework.
protocol SignableDraft {
    /// The value of a field; of AdAttributionKit, of a signed one.
    subscript(field: PostbackField) -> JSONValue? { get set }

    /// The body with a signature that may have been made for another body.
    func body(signature: [UInt8]) -> [UInt8]
}

extension SignableDraft {
    /// A copy with another value of a field; nil removes it.
    func replacing(_ field: PostbackField, with value: JSONValue?) -> any SignableDraft {
        var draft = self
        draft[field] = value
        return draft
    }
}

extension ReceivedPostback {
    /// A draft of it, without its signature.
    var draft: any SignableDraft {
        switch self {
        case .skAdNetwork(let postback): PostbackDraft(postback)
        case .adAttributionKit(let postback): AdAttributionKitDraft(postback)
        }
    }
}

extension [JSONField] {
    /// A JSON object with these fields, on one line.
    package var body: [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                for field in self {
                    json.name(field.name)
                    field.value.text.write(to: &json)
                }
            }
        }
    }
}
