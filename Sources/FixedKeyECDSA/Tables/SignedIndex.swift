/// The index of a point in a table, and whether to negate it.
struct SignedIndex: BitwiseCopyable {
    private let code: Int

    /// Makes an index; `negative` is all ones to negate the point, otherwise zero.
    @inline(__always)
    init(_ index: Int, negative: UInt64) {
        code = index &<< 1 | Int(truncatingIfNeeded: negative & 1)
    }

    /// The index in the table.
    @inline(__always)
    var index: Int { code &>> 1 }

    /// All ones for the negative, zero for the point itself.
    @inline(__always)
    var mask: UInt64 { 0 &- UInt64(truncatingIfNeeded: code & 1) }
}
