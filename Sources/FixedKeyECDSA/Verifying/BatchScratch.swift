/// The memory for verifying a batch.
struct BatchScratch<C: Curve> {
    /// The table indices of all summands, row by row: row i has the i-th summand of every signature.
    let indices: UnsafeMutablePointer<SignedIndex>
    /// One number for each signature.
    let numbers: UnsafeMutablePointer<UInt256>
    let addition: PairAddition<C>

    /// Allocates memory for `size` signatures with `rows` summands each.
    init(size: Int, rows: Int) {
        indices = .allocate(capacity: size * rows)
        numbers = .allocate(capacity: size)
        addition = PairAddition(rows: rows, columns: size)
    }

    func deallocate() {
        indices.deallocate()
        numbers.deallocate()
        addition.deallocate()
    }
}
