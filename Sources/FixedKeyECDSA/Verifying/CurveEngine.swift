/// The verification of signatures of one curve with the tables of its generator and of the registered keys.
///
/// A signature (r, s) of a digest e is valid if the point u₁·G + u₂·Q, u₁ = e / s and u₂ = r / s mod n, has an x that
/// is r modulo n. With both bases' multiples in a table it is a sum of 2k table points, where k is the number of
/// windows. The points of G and Q are added crosswise: whoever does not know the discrete logarithm of Q cannot bring
/// about that two summands share an x.
struct CurveEngine<C: Curve>: Sendable {
    typealias Point = AffinePoint<C.Field>

    let table: WindowTable<C>
    private let keyCount: Int

    /// The bases of the table are the generator and then the keys.
    init(keys: [Point], windowWidth: Int) {
        keyCount = keys.count
        table = WindowTable(bases: [C.generator] + keys, windowWidth: windowWidth)
    }

    /// Bytes of memory taken by the tables.
    var tableByteCount: Int { table.byteCount }

    /// Points that make up the sum for one signature.
    var summandCount: Int { 2 * table.windows.count }

    /// Verifies one signature by additions in Jacobian coordinates.
    func verify(_ check: SignatureCheck) -> Verdict {
        let (r, s) = (check.signature.r, check.signature.s)
        let inverse = C.order.product(C.order.inverse(of: s), C.order.squaredRadix)
        let scratch = BatchScratch<C.Field>(size: 1, summandCount: summandCount)
        defer { scratch.deallocate() }
        locateSummands(of: check, inverse: inverse, into: scratch.indices, stride: 1)
        scratch.scalars[0].w0 = table.copy(scratch.indices, count: summandCount, to: scratch.summands)
        var sum = JacobianPoint(scratch.summands[0])
        for index in 1..<summandCount {
            // G₀, Q₀, G₁, Q₁, …
            let row = (index &>> 1) &+ (index & 1 == 0 ? 0 : table.windows.count)
            guard sum.add(scratch.summands[row]) else { return .undecided }
        }
        // x = X / Z² is one of the numbers below p that are r modulo n: r, and perhaps r + n.
        let zz = sum.z.squared
        if C.Field(r) * zz == sum.x { return .valid }
        let (second, overflow) = r.addingReportingOverflow(C.order.value)
        return !overflow && second < C.Field.prime && C.Field(second) * zz == sum.x ? .valid : .invalid
    }

    /// Finds the table points whose sum is u₁·G + u₂·Q: first those of G, then those of Q.
    ///
    /// - Parameters:
    ///   - check: The digest, the signature and the key.
    ///   - inverse: s⁻¹·2²⁵⁶ mod n.
    ///   - indices: Where the first index is stored; each next one is `stride` further.
    ///   - stride: The distance between two of them.
    @inline(__always)
    func locateSummands(
        of check: SignatureCheck, inverse: UInt256, into indices: UnsafeMutablePointer<SignedIndex>, stride: Int
    ) {
        precondition(check.key.index < keyCount, "The key belongs to another verifier.")
        let windows = table.windows
        let u1 = C.order.product(C.number(of: check.digest), inverse)
        windows.forEachPoint(of: u1, order: C.order.value, first: 0) { window, index in
            (indices + window &* stride).initialize(to: index)
        }
        let u2 = C.order.product(check.signature.r, inverse)
        let start = (check.key.index &+ 1) &* windows.pointsPerBase
        windows.forEachPoint(of: u2, order: C.order.value, first: start) { window, index in
            (indices + (windows.count &+ window) &* stride).initialize(to: index)
        }
    }
}
