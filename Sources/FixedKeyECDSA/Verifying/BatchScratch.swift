/// The memory that one call needs to verify batches; allocated once for all of them.
struct BatchScratch<Field: PrimeField> {
    /// Room for the table indices of all summands of all signatures of a batch.
    let indices: UnsafeMutablePointer<SignedIndex>
    /// Room for all summands of all signatures of a batch.
    let summands: UnsafeMutablePointer<AffinePoint<Field>>
    /// Room for the running products of the widest level of additions.
    let products: UnsafeMutablePointer<Field>
    /// Room for one scalar for each signature.
    let scalars: UnsafeMutablePointer<UInt256>

    init(size: Int, summandCount: Int) {
        indices = .allocate(capacity: size * summandCount)
        summands = .allocate(capacity: size * summandCount)
        products = .allocate(capacity: size * summandCount / 2)
        scalars = .allocate(capacity: size)
    }

    func deallocate() {
        indices.deallocate()
        summands.deallocate()
        products.deallocate()
        scalars.deallocate()
    }
}
