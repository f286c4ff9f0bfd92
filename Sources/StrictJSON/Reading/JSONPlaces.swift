/// Where the bytes of a JSON string are, once its escapes are decoded.
package enum JSONStringPlace {
    /// A string without escapes: the bytes between the quotes, which were found to be UTF-8.
    case plain(Range<Int>)
    /// A string with escapes: its range among the decoded bytes.
    case decoded(Range<Int>)
}

/// Where a value of a JSON text stands, or the value itself where it needs no memory of its own.
package enum JSONValuePlace {
    /// A string.
    case string(JSONStringPlace)
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

/// Where a name and its value stand in a JSON text.
package struct JSONFieldPlace {
    package let name: JSONStringPlace
    package let value: JSONValuePlace
}
