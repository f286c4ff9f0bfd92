/// A value of a JSON object as it was received, with nothing converted.
///
/// Absent is the lack of a field and so not a case here; `null`, `0` and `""` are three different cases.
package enum JSONValue: Hashable, Sendable {
    /// A string with its escapes decoded.
    case string(String)
    /// A whole number in its only canonical spelling, `0` or `-?[1-9][0-9]*`, within 64 bits.
    case integer(Int64)
    /// Every other number, kept as its text: fractions, exponents, `-0`, and what does not fit 64 bits.
    case number(String)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// An array or an object, kept as its text.
    case nested(String)

    /// What the value is, for messages: its type and, shortened, its text.
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
