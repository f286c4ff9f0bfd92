extension CurveEngine<P256> {
    /// The number of signatures per batch: more would hardly make the shared inversion cheaper.
    private static var laneBatchSize: Int { 64 }

    /// Verifies the checks on this curve, eight at once, and sets their verdicts.
    func verifyInLanes(
        _ checks: UnsafeBufferPointer<SignatureCheck>, into verdicts: UnsafeMutableBufferPointer<Verdict>
    ) {
        forEachBatch(of: checks, atMost: Self.laneBatchSize) { batch in
            let addition = LaneAddition(rows: summandCount, size: batch.count)
            defer { addition.deallocate() }
            withUnsafeTemporaryAllocation(of: UInt256.self, capacity: batch.count) { products in
                guard let products = products.baseAddress else { return }
                forEachInverse(of: checks, at: batch, products: products) { signature, inverse in
                    locateSummands(of: checks[batch[signature]], inverse: inverse) { row, index in
                        addition.setPoint(row, of: signature, to: index)
                    }
                }
            }
            addition.addUp(table)
            for (signature, check) in batch.enumerated() {
                verdicts[check] = addition.sum(of: signature).verdict(
                    on: checks[check].signature.r, order: P256.order.value)
            }
        }
    }
}
