/// Where the bytes of a JSON string are, once its escapes are decoded.
enum JSONStringPlace {
    /// A string without escapes: the bytes between the quotes, which were found to be UTF-8.
    case plain(Range<Int>)
    /// A string with escapes: its range among the decoded bytes.
    case decoded(Range<Int>)
}
