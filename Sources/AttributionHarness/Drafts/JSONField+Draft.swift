package import Attribution
package import StrictJSON

extension [JSONField] {
    /// The value of a field of Apple's; nil removes it, a new one stands last.
    package subscript(field: PostbackField) -> JSONValue? {
        get {
            first { $0.name == field.rawValue }?.value
        }
        set {
            let place = firstIndex { $0.name == field.rawValue }
            switch (place, newValue) {
            case (let place?, let value?): self[place] = JSONField(name: field.rawValue, value: value)
            case (let place?, nil): remove(at: place)
            case (nil, let value?): append(JSONField(name: field.rawValue, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONValue {
    /// The value as it is written.
    var text: JSONText {
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
