package import Attribution
package import StrictJSON

/// The fields of an SKAdNetwork postback before ``AppleStandIn`` signs it, in order.
package struct PostbackDraft: Hashable, Sendable {
    /// Names and values, without `attribution-signature`.
    package var fields: [JSONField]

    /// Makes a draft.
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

    /// A copy with another value of a field; nil removes it.
    func replacing(_ field: PostbackField, with value: JSONValue?) -> PostbackDraft {
        var draft = self
        draft[field] = value
        return draft
    }

    /// The body with a signature, as a device sends it.
    ///
    /// - Parameters:
    ///   - signature: DER.
    ///   - escapesSlashes: Whether `/` is written `\/`, as some systems do.
    /// - Returns: The bytes of the JSON object.
    package func body(signature: [UInt8], escapesSlashes: Bool = false) -> [UInt8] {
        let signatureField = JSONField(
            name: PostbackField.attributionSignature.rawValue, value: .string(Base64.encode(signature)))
        let text = JSONText.object((fields + [signatureField]).map { ($0.name, $0.value.text) }).line
        return Array(
            (escapesSlashes
                ? text.split(separator: "/", omittingEmptySubsequences: false)
                    .joined(separator: "\\/") : text).utf8)
    }
}
