/// A value in a JSON object as received, with nothing converted.
///
/// `null`, `0` and `""` are three different values. An absent field has no value at all.
package enum JSONValue: Hashable, Sendable {
    /// A string with its escapes decoded.
    case string(String)
    /// A whole number in its only canonical spelling, `0` or `-?[1-9][0-9]*`, within 64 bits.
    case integer(Int64)
    /// Any other number, kept as text: fractions, exponents, `-0`, and integers that do not fit in 64 bits.
    case number(String)
    case bool(Bool)
    case null
    /// An array or an object, kept as text.
    case nested(String)

    /// The type and the shortened text of the value, for messages.
    package var summary: String {
        switch self {
        case .string(let text): "the string \"\(text.shortened(to: 60))\""
        case .integer(let value): "the number \(value)"
        case .number(let text): "the number \(text.shortened(to: 60))"
        case .bool(let value): "the boolean \(value)"
        case .null: "null"
        case .nested(let text): text.utf8.first == UInt8(ascii: "[") ? "an array" : "an object"
        }
    }
}

/// One name and its value in a JSON object, in the order received.
package struct JSONField: Hashable, Sendable {
    /// The name with its escapes decoded.
    package let name: String
    /// The value as received.
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue {
    /// The elements of an array, in order; nil for any other value.
    package func elements(depth: Int = JSONObject.maximumDepth) -> [JSONValue]? {
        guard case .nested(let text) = self else {
            return nil
        }
        let bytes = Array(text.utf8)
        return JSONSource(bytes: bytes, decoded: []).elements(of: .nested(bytes.indices), depth: depth)
            .map { source, values in values.map(source.value) }
    }
}
