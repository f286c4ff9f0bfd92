/// The memory for verifying batches, allocated once per call.
struct BatchScratch<Field: PrimeField> {
    /// The table indices of all summands of all signatures in a batch.
    let indices: UnsafeMutablePointer<SignedIndex>
    /// All summands of all signatures in a batch.
    let summands: UnsafeMutablePointer<AffinePoint<Field>>
    /// The running products of the widest level of additions.
    let products: UnsafeMutablePointer<Field>
    /// One scalar for each signature.
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
