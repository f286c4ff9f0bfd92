public import Attribution

/// The fields of a postback before Apple's stand-in signs it, in the order they are sent.
public struct PostbackDraft: Hashable, Sendable {
    /// Names and values, without `attribution-signature`.
    public var fields: [JSONField]

    /// Makes a draft.
    public init(_ fields: [JSONField]) {
        self.fields = fields.filter { $0.name != PostbackField.attributionSignature.rawValue }
    }

    /// The draft of an existing body, without its signature.
    public init(_ postback: ReceivedPostback) {
        self.init(postback.fields)
    }

    /// The value of a field; nil removes it, a new one stands last.
    public subscript(field: PostbackField) -> JSONValue? {
        get {
            fields.first { $0.name == field.rawValue }?.value
        }
        set {
            let place = fields.firstIndex { $0.name == field.rawValue }
            switch (place, newValue) {
            case (let place?, let value?): fields[place] = JSONField(name: field.rawValue, value: value)
            case (let place?, nil): fields.remove(at: place)
            case (nil, let value?): fields.append(JSONField(name: field.rawValue, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The body with a signature, as a device sends it.
    ///
    /// - Parameters:
    ///   - signature: DER.
    ///   - escapesSlashes: Whether `/` is written `\/`, as some systems do.
    /// - Returns: The bytes of the JSON object.
    public func body(signature: [UInt8], escapesSlashes: Bool = false) -> [UInt8] {
        let signatureField = JSONField(
            name: PostbackField.attributionSignature.rawValue, value: .string(Base64.encode(signature)))
        let text = JSONText.object((fields + [signatureField]).map { ($0.name, $0.value.text) }).line
        return Array(
            (escapesSlashes
                ? text.split(separator: "/", omittingEmptySubsequences: false)
                    .joined(separator: "\\/") : text).utf8)
    }
}

extension JSONValue {
    fileprivate var text: JSONText {
        switch self {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .bool(let value): .bool(value)
        case .null: .null
        // A draft holds none; written as text it would be refused by name.
        case .number(let text), .nested(let text): .string(text)
        }
    }
}
