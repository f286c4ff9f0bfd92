/// The points of a table under construction, one per slot of a `TableMemory`.
struct TablePoints<Field: PrimeField> {
    private let bytes: UnsafeMutableRawBufferPointer
    private let first: Int

    /// Makes a view of the slots from index `first` on.
    init(_ bytes: UnsafeMutableRawBufferPointer, from first: Int) {
        (self.bytes, self.first) = (bytes, first)
    }

    @inline(__always)
    subscript(index: Int) -> AffinePoint<Field> {
        get {
            bytes.load(fromByteOffset: (first + index) * TableMemory.slotSize, as: AffinePoint<Field>.self)
        }
        nonmutating set {
            bytes.storeBytes(
                of: newValue, toByteOffset: (first + index) * TableMemory.slotSize, as: AffinePoint<Field>.self)
        }
    }
}
