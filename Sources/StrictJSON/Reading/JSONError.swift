/// Why bytes are not one JSON object in the strict sense of RFC 8259, and where.
///
/// Offsets count bytes from 0.
package enum JSONError: Error, Hashable, Sendable {
    /// There is nothing but white space.
    case empty
    /// The text is JSON of another kind, or no JSON; the first byte that tells stands at `offset`.
    case notAnObject(offset: Int)
    /// The bytes break the grammar at `offset`.
    case syntax(offset: Int, expected: String)
    /// The bytes at `offset` are not UTF-8.
    case notUTF8(offset: Int)
    /// A name stands twice; which value counts would be a guess.
    case duplicateName(String)
    /// Arrays and objects nest deeper than ``JSONObject/maximumDepth``.
    case tooDeep(offset: Int)
    /// The object is longer than the bound the caller set, in bytes.
    case tooLong(count: Int, limit: Int)
    /// The object has more names than ``JSONObject/maximumFields``.
    case tooManyFields(limit: Int)
    /// Something other than white space follows the object at `offset`.
    case trailingBytes(offset: Int)
}

extension JSONError: CustomStringConvertible {
    /// What was found where, what was expected, and what to do.
    package var description: String {
        switch self {
        case .empty:
            "the body is empty; expected one JSON object"
        case .notAnObject(let offset):
            "byte \(offset) does not begin a JSON object; expected '{'"
        case .syntax(let offset, let expected):
            "not JSON at byte \(offset); expected \(expected)"
        case .notUTF8(let offset):
            "byte \(offset) is not UTF-8; send the JSON as UTF-8"
        case .duplicateName(let name):
            "the name \"\(name.shortened(to: 60))\" stands twice; send each name once"
        case .tooDeep(let offset):
            "nested deeper than \(JSONObject.maximumDepth) levels at byte \(offset); a postback is flat"
        case .tooLong(let count, let limit):
            "\(count) bytes; expected at most \(limit)"
        case .tooManyFields(let limit):
            "more than \(limit) names; a postback has about a dozen"
        case .trailingBytes(let offset):
            "bytes follow the object at byte \(offset); send one object a request"
        }
    }
}
