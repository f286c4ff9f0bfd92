/// Where a string of a JSON text stands.
enum JSONStringPlace {
    /// ASCII without escapes: the bytes between the quotes are its characters.
    case plain(Range<Int>)
    /// Any other string: its number among those that were decoded.
    case decoded(Int)
}
