/// The verification of signatures of one curve with the tables of its generator and of the registered keys.
///
/// A signature (r, s) of a digest e is valid if the point u₁·G + u₂·Q, u₁ = e / s and u₂ = r / s mod n, has an x that
/// is r modulo n. With both bases' multiples in a table it is a sum of 2k table points, where k is the number of
/// windows. Points of G are added to points of Q, so that hardly any two summands can be made to share an x without
/// knowing the discrete logarithm of Q; <doc:Verification> says which can.
struct CurveEngine<C: Curve>: Sendable {
    typealias Point = AffinePoint<C.Field>

    let table: WindowTable<C>
    private let keyCount: Int

    init(keys: [Point], windowWidth: Int) {
        keyCount = keys.count
        table = WindowTable(bases: [C.generator] + keys, windowWidth: windowWidth)
    }

    /// The memory used by the tables, in bytes.
    var tableByteCount: Int { table.byteCount }

    /// The number of points in the sum for a signature.
    var summandCount: Int { 2 * table.windows.count }

    /// Verifies a signature, one addition after the other.
    func verify(_ check: SignatureCheck) -> Verdict {
        let inverse = C.order.product(C.order.inverse(of: check.signature.s), C.order.squaredRadix)
        let count = summandCount
        let indices = UnsafeMutablePointer<SignedIndex>.allocate(capacity: count)
        let summands = UnsafeMutablePointer<Point>.allocate(capacity: count)
        defer {
            indices.deallocate()
            summands.deallocate()
        }
        locateSummands(of: check, inverse: inverse) { (indices + $0).initialize(to: $1) }
        table.copy(indices, count: count, to: summands)
        // Points of G and Q alternate: for a digest of 0, those of G alone would add up to infinity.
        let windows = table.windows.count
        var sum = ExtendedPoint(summands[0])
        sum += summands[windows]
        for window in 1..<windows {
            sum += summands[window]
            sum += summands[windows &+ window]
        }
        return sum.verdict(on: check.signature.r, order: C.order.value)
    }

    /// Inverts the s of several signatures with one inversion modulo n, by Montgomery's trick.
    ///
    /// Every product divides by R = 2²⁵⁶; these cancel out except for the one R that `locateSummands` expects in s⁻¹R.
    ///
    /// - Parameters:
    ///   - checks: The signatures.
    ///   - selected: Which of them, at least one.
    ///   - products: Memory for as many numbers.
    ///   - use: Called with each index of `selected` and s⁻¹·2²⁵⁶ mod n, from the last to the first.
    @inline(__always)
    func forEachInverse(
        of checks: UnsafeBufferPointer<SignatureCheck>, at selected: UnsafeBufferPointer<Int>,
        products: UnsafeMutablePointer<UInt256>, _ use: (Int, UInt256) -> Void
    ) {
        var product = checks[selected[0]].signature.s
        for index in 1..<selected.count {
            products[index] = product
            product = C.order.product(product, checks[selected[index]].signature.s)
        }
        var inverse = C.order.product(C.order.inverse(of: product), C.order.squaredRadix)
        for index in (1..<selected.count).reversed() {
            use(index, C.order.product(inverse, products[index]))
            inverse = C.order.product(inverse, checks[selected[index]].signature.s)
        }
        use(0, inverse)
    }

    /// Finds the table points whose sum is u₁·G + u₂·Q.
    ///
    /// - Parameters:
    ///   - check: The digest, the signature and the key.
    ///   - inverse: s⁻¹·2²⁵⁶ mod n.
    ///   - store: Called with the number of each point and its index: first those of G, then those of Q.
    @inline(__always)
    func locateSummands(of check: SignatureCheck, inverse: UInt256, _ store: (Int, SignedIndex) -> Void) {
        precondition(check.key.index < keyCount, "The key belongs to another verifier.")
        let windows = table.windows
        let u1 = C.order.product(C.number(of: check.digest), inverse)
        windows.forEachPoint(of: u1, order: C.order.value, first: 0, store)
        let u2 = C.order.product(check.signature.r, inverse)
        let start = (check.key.index &+ 1) &* windows.pointsPerBase
        windows.forEachPoint(of: u2, order: C.order.value, first: start) { window, index in
            store(windows.count &+ window, index)
        }
    }
}
