/// Where a value of a JSON text stands, or the value itself where it needs no memory of its own.
enum JSONValuePlace {
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
