extension CurveEngine {
    /// The number of signatures per batch: enough to make shared inversions cheap, few enough to fit a 1 MiB cache.
    private static var batchSize: Int { 128 }

    /// Below this number, Jacobian additions are faster than shared inversions.
    private static var smallestBatch: Int { 4 }

    /// Verifies the checks on this curve, in batches, and sets their verdicts.
    func verify(_ checks: UnsafeBufferPointer<SignatureCheck>, into verdicts: UnsafeMutableBufferPointer<Verdict>) {
        let selected = checks.indices.filter {
            checks[$0].key.curve == C.name && checks[$0].signature.curve == C.name
        }
        guard !selected.isEmpty else { return }
        let batches = (selected.count + Self.batchSize - 1) / Self.batchSize
        let size = (selected.count + batches - 1) / batches
        guard size >= Self.smallestBatch else {
            for check in selected { verdicts[check] = verify(checks[check]) }
            return
        }
        let scratch = BatchScratch<C.Field>(size: size, summandCount: summandCount)
        defer { scratch.deallocate() }
        selected.withUnsafeBufferPointer { selected in
            for start in stride(from: 0, to: selected.count, by: size) {
                let batch = UnsafeBufferPointer(rebasing: selected[start..<min(start + size, selected.count)])
                verify(checks, at: batch, into: verdicts, scratch: scratch)
            }
        }
    }

    /// Verifies the checks at `selected` with one inversion modulo n and one modulo p for each level of additions.
    private func verify(
        _ checks: UnsafeBufferPointer<SignatureCheck>,
        at selected: UnsafeBufferPointer<Int>,
        into verdicts: UnsafeMutableBufferPointer<Verdict>,
        scratch: BatchScratch<C.Field>
    ) {
        let size = selected.count
        let summands = scratch.summands
        // All s at once, by Montgomery's trick. Every product divides by R = 2²⁵⁶; these cancel out except for the one
        // R that `locateSummands` expects in s⁻¹R.
        var product = checks[selected[0]].signature.s
        for index in 1..<size {
            scratch.scalars[index] = product
            product = C.order.product(product, checks[selected[index]].signature.s)
        }
        var inverse = C.order.product(C.order.inverse(of: product), C.order.squaredRadix)
        for index in (0..<size).reversed() {
            let check = checks[selected[index]]
            let own = index == 0 ? inverse : C.order.product(inverse, scratch.scalars[index])
            locateSummands(of: check, inverse: own, into: scratch.indices + index, stride: size)
            inverse = C.order.product(inverse, check.signature.s)
            verdicts[selected[index]] = .invalid
        }
        // The scalars are no longer needed.
        scratch.scalars[0].w0 = table.copy(scratch.indices, count: summandCount * size, to: summands)
        // Row i of the summands has the i-th summand of every signature. The upper half of the rows is added to the
        // lower half until one row is left; with an odd number of rows, the middle one is skipped.
        var rows = summandCount
        while rows > 1 {
            let kept = (rows + 1) / 2
            let offset = kept * size
            Point.addPairs(
                (rows - kept) * size,
                products: scratch.products,
                left: { summands[$0] },
                right: { summands[$0 &+ offset] },
                store: { summands[$0] = $1 },
                exception: { verdicts[selected[$0 % size]] = .undecided }
            )
            rows = kept
        }
        for index in 0..<size where verdicts[selected[index]] != .undecided {
            // Both p and n have the same number of bits, and p < 2n.
            let x = summands[index].x.number
            let (reduced, borrow) = x.subtractingReportingOverflow(C.order.value)
            let isValid = (borrow ? x : reduced) == checks[selected[index]].signature.r
            verdicts[selected[index]] = isValid ? .valid : .invalid
        }
    }
}
