/// A point of a table, or its negative.
struct SignedPlace: BitwiseCopyable {
    private let code: Int

    /// Takes a place and whether the negative is meant: `negative` is all ones if so, else zero.
    @inline(__always)
    init(_ place: Int, negative: UInt64) {
        code = place &<< 1 | Int(truncatingIfNeeded: negative & 1)
    }

    /// The place in the table.
    @inline(__always)
    var place: Int { code &>> 1 }

    /// All ones for the negative, zero for the point itself.
    @inline(__always)
    var mask: UInt64 { 0 &- UInt64(truncatingIfNeeded: code & 1) }
}
