package import StrictJSON

extension [JSONField] {
    /// The value of one of Apple's fields; setting nil removes it, and a new field is appended.
    package subscript(field: PostbackField) -> JSONValue? {
        get {
            first { $0.name == field.rawValue }?.value
        }
        set {
            let index = firstIndex { $0.name == field.rawValue }
            switch (index, newValue) {
            case (let index?, let value?): self[index] = JSONField(name: field.rawValue, value: value)
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(JSONField(name: field.rawValue, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONValue {
    /// The value as JSON text.
    package var text: JSONText {
        switch self {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .bool(let value): .bool(value)
        case .null: .null
        // No field of Apple's has such a value; readers refuse one written as a string.
        case .number(let text), .nested(let text): .string(text)
        }
    }
}
