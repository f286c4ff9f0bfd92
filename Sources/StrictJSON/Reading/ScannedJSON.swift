/// The range of a scanned JSON string, with its escapes decoded.
package enum ScannedJSONString {
    /// A string without escapes: the range between the quotes, which is valid UTF-8.
    case plain(Range<Int>)
    /// A string with escapes: its range in the decoded bytes.
    case decoded(Range<Int>)
}

/// A scanned JSON value: its range in the text, or the value itself if it needs no allocation.
package enum ScannedJSONValue {
    /// A string.
    case string(ScannedJSONString)
    /// A whole number within 64 bits.
    case integer(Int64)
    /// The text of every other number.
    case number(Range<Int>)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// The text of an array or an object.
    case nested(Range<Int>)
}

/// A scanned name with its value.
package struct ScannedJSONField {
    package let name: ScannedJSONString
    package let value: ScannedJSONValue
}
