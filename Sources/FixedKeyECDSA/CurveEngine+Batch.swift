extension CurveEngine {
    /// The number of signatures per batch: enough to make shared inversions cheap, few enough to fit a 1 MiB cache.
    private static var batchSize: Int { 128 }

    /// Below this number, additions without inversions are faster than shared inversions.
    private static var smallestBatch: Int { 4 }

    /// Verifies the checks on this curve, in batches, and sets their verdicts.
    func verify(_ checks: UnsafeBufferPointer<SignatureCheck>, into verdicts: UnsafeMutableBufferPointer<Verdict>) {
        forEachBatch(of: checks, atMost: Self.batchSize) { batch in
            guard batch.count >= Self.smallestBatch else {
                for check in batch { verdicts[check] = verify(checks[check]) }
                return
            }
            verify(checks, at: batch, into: verdicts)
        }
    }

    /// Splits the checks on this curve into batches of nearly the same size.
    func forEachBatch(
        of checks: UnsafeBufferPointer<SignatureCheck>, atMost limit: Int, _ verify: (UnsafeBufferPointer<Int>) -> Void
    ) {
        let selected = checks.indices.filter {
            checks[$0].key.curve == C.name && checks[$0].signature.curve == C.name
        }
        guard !selected.isEmpty else { return }
        let (count, batches) = (selected.count, (selected.count + limit - 1) / limit)
        selected.withUnsafeBufferPointer { selected in
            for batch in 0..<batches {
                let range = batch * count / batches..<(batch + 1) * count / batches
                verify(UnsafeBufferPointer(rebasing: selected[range]))
            }
        }
    }

    /// Verifies the checks at `selected` with one inversion modulo n and one modulo p for each level of additions.
    private func verify(
        _ checks: UnsafeBufferPointer<SignatureCheck>, at selected: UnsafeBufferPointer<Int>,
        into verdicts: UnsafeMutableBufferPointer<Verdict>
    ) {
        let size = selected.count
        let scratch = BatchScratch<C>(size: size, rows: summandCount)
        defer { scratch.deallocate() }
        let numbers = scratch.numbers
        forEachInverse(of: checks, at: selected, products: numbers) { column, inverse in
            locateSummands(of: checks[selected[column]], inverse: inverse) { row, index in
                (scratch.indices + (row &* size &+ column)).initialize(to: index)
            }
            verdicts[selected[column]] = .invalid
        }
        // The numbers are no longer needed.
        scratch.addition.add(scratch.indices, of: table, into: numbers) { verdicts[selected[$0]] = .undecided }
        for column in 0..<size where verdicts[selected[column]] != .undecided {
            // Both p and n have the same number of bits, and p < 2n.
            let x = numbers[column]
            let (reduced, borrow) = x.subtractingReportingOverflow(C.order.value)
            let isValid = (borrow ? x : reduced) == checks[selected[column]].signature.r
            verdicts[selected[column]] = isValid ? .valid : .invalid
        }
    }
}

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
