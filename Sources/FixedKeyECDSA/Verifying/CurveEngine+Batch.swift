extension CurveEngine {
    /// The number of signatures per batch: enough to make shared inversions cheap, few enough to fit a 1 MiB cache.
    private static var batchSize: Int { 128 }

    /// Below this number, Jacobian additions are faster than shared inversions.
    private var smallestBatch: Int { usesLanes ? 3 : 4 }

    /// Verifies the checks on this curve, in batches, and sets their verdicts.
    func verify(_ checks: UnsafeBufferPointer<SignatureCheck>, into verdicts: UnsafeMutableBufferPointer<Verdict>) {
        let selected = checks.indices.filter {
            checks[$0].key.curve == C.name && checks[$0].signature.curve == C.name
        }
        guard !selected.isEmpty else { return }
        let batches = (selected.count + Self.batchSize - 1) / Self.batchSize
        let size = (selected.count + batches - 1) / batches
        guard size >= smallestBatch else {
            for check in selected { verdicts[check] = verify(checks[check]) }
            return
        }
        let scratch = BatchScratch<C>(size: size, rows: summandCount, inLanes: usesLanes)
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
        scratch: BatchScratch<C>
    ) {
        let (size, columns) = (selected.count, scratch.columns)
        let numbers = scratch.numbers
        // All s at once, by Montgomery's trick. Every product divides by R = 2²⁵⁶; these cancel out except for the one
        // R that `locateSummands` expects in s⁻¹R.
        var product = checks[selected[0]].signature.s
        for index in 1..<size {
            numbers[index] = product
            product = C.order.product(product, checks[selected[index]].signature.s)
        }
        var inverse = C.order.product(C.order.inverse(of: product), C.order.squaredRadix)
        for index in (0..<size).reversed() {
            let check = checks[selected[index]]
            let own = index == 0 ? inverse : C.order.product(inverse, numbers[index])
            locateSummands(of: check, inverse: own, into: scratch.indices + index, stride: columns)
            inverse = C.order.product(inverse, check.signature.s)
            verdicts[selected[index]] = .invalid
        }
        // The remaining columns repeat the first.
        for row in 0..<(size < columns ? summandCount : 0) {
            let first = scratch.indices + row * columns
            (first + size).initialize(repeating: first.pointee, count: columns - size)
        }
        // The numbers are no longer needed.
        scratch.addition.add(scratch.indices, of: table, into: numbers) { column in
            if column < size { verdicts[selected[column]] = .undecided }
        }
        for index in 0..<size where verdicts[selected[index]] != .undecided {
            // Both p and n have the same number of bits, and p < 2n.
            let x = numbers[index]
            let (reduced, borrow) = x.subtractingReportingOverflow(C.order.value)
            let isValid = (borrow ? x : reduced) == checks[selected[index]].signature.r
            verdicts[selected[index]] = isValid ? .valid : .invalid
        }
    }
}
