/// Why bytes are not one JSON object in the strict sense of RFC 8259, and where.
///
/// Offsets count bytes from 0.
package enum JSONError: Error, Hashable, Sendable {
    /// There is only white space.
    case empty
    /// The first byte that is not white space, at `offset`, does not begin an object.
    case notAnObject(offset: Int)
    /// The bytes break the grammar at `offset`.
    case syntax(offset: Int, expected: String)
    /// The bytes at `offset` are not UTF-8.
    case notUTF8(offset: Int)
    /// A name occurs twice.
    case duplicateName(String)
    /// Arrays and objects nest deeper than the caller allows.
    case tooDeep(offset: Int, limit: Int)
    /// The text is longer than the caller allows, in bytes.
    case tooLong(count: Int, limit: Int)
    /// The object has more names than ``JSONObject/maximumFields``.
    case tooManyFields(limit: Int)
    /// Something other than white space follows the object at `offset`.
    case trailingBytes(offset: Int)
}

/// The two halves of a ``FieldProblem``, for JSON that is part of something else or a file.
extension JSONError {
    /// What was found, and where.
    package var found: String {
        switch self {
        case .empty: "an empty text"
        case .notAnObject(let offset): "something else at byte \(offset)"
        case .syntax(let offset, _): "invalid JSON at byte \(offset)"
        case .notUTF8(let offset): "bytes that are not UTF-8 at byte \(offset)"
        case .duplicateName(let name): "\"\(name.shortened(to: 60))\" twice"
        case .tooDeep(let offset, let limit): "more than \(limit) levels at byte \(offset)"
        case .tooLong(let count, _): "\(count) bytes"
        case .tooManyFields(let limit): "more than \(limit) names in one object"
        case .trailingBytes(let offset): "more after the object at byte \(offset)"
        }
    }

    /// What was expected instead.
    package var expected: String {
        switch self {
        case .empty, .trailingBytes: "one JSON object"
        case .notAnObject: "a JSON object, which begins with '{'"
        case .syntax(_, let expected): expected
        case .notUTF8: "JSON in UTF-8"
        case .duplicateName: "each name once"
        case .tooDeep(_, let limit): "at most \(limit) levels"
        case .tooLong(_, let limit): "at most \(limit) bytes"
        case .tooManyFields(let limit): "at most \(limit)"
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, where, and what was expected.
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
            "duplicate name \"\(name.shortened(to: 60))\"; send each name once"
        case .tooDeep(let offset, let limit):
            "nested more than \(limit) levels deep at byte \(offset)"
        case .tooLong(let count, let limit):
            "\(count) bytes; expected at most \(limit)"
        case .tooManyFields(let limit):
            "more than \(limit) names in one object"
        case .trailingBytes(let offset):
            "unexpected data after the object at byte \(offset); send one object per request"
        }
    }
}
