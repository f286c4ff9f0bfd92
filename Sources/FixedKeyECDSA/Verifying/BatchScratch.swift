/// The memory for verifying batches, allocated once per call.
struct BatchScratch<C: Curve> {
    /// The number of columns: one for each signature, rounded up to what the addition needs.
    let columns: Int
    /// The table indices of all summands, row by row: row i has the i-th summand of every signature.
    let indices: UnsafeMutablePointer<SignedIndex>
    /// One number for each column.
    let numbers: UnsafeMutablePointer<UInt256>
    let addition: BatchAddition<C>

    /// Allocates memory for batches of up to `size` signatures with `rows` summands each.
    init(size: Int, rows: Int, inLanes: Bool) {
        columns = BatchAddition<C>.columns(for: size, inLanes: inLanes)
        indices = .allocate(capacity: columns * rows)
        numbers = .allocate(capacity: columns)
        addition = BatchAddition(rows: rows, columns: columns, inLanes: inLanes)
    }

    func deallocate() {
        indices.deallocate()
        numbers.deallocate()
        addition.deallocate()
    }
}
