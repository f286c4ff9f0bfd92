/// The verification of signatures of one curve with the tables of its generator and of the registered keys.
///
/// A signature (r, s) of a digest e is valid if the point u₁·G + u₂·Q, u₁ = e / s and u₂ = r / s mod n, has an x that
/// is r modulo n. With both bases' multiples in a table it is a sum of 2k table points, where k is the number of
/// windows. Points of G are added to points of Q, so that no one who does not know the discrete logarithm of Q can
/// make two summands share an x.
struct CurveEngine<C: Curve>: Sendable {
    typealias Point = AffinePoint<C.Field>

    let table: WindowTable<C>
    /// Whether batches are added up by `LaneAddition`.
    let usesLanes: Bool
    private let keyCount: Int

    /// Makes the tables of the generator and the keys.
    init(keys: [Point], windowWidth: Int, usesLanes: Bool) {
        keyCount = keys.count
        self.usesLanes = usesLanes
        table = WindowTable(bases: [C.generator] + keys, windowWidth: windowWidth)
    }

    /// The memory used by the tables, in bytes.
    var tableByteCount: Int { table.byteCount }

    /// The number of points in the sum for a signature.
    var summandCount: Int { 2 * table.windows.count }

    /// Verifies a signature with additions in Jacobian coordinates.
    func verify(_ check: SignatureCheck) -> Verdict {
        let (r, s) = (check.signature.r, check.signature.s)
        let inverse = C.order.product(C.order.inverse(of: s), C.order.squaredRadix)
        let count = summandCount
        let indices = UnsafeMutablePointer<SignedIndex>.allocate(capacity: count)
        let summands = UnsafeMutablePointer<Point>.allocate(capacity: count)
        defer {
            indices.deallocate()
            summands.deallocate()
        }
        locateSummands(of: check, inverse: inverse, into: indices, stride: 1)
        table.copy(indices, count: count, to: summands)
        var sum = JacobianPoint(summands[0])
        for index in 1..<count {
            // G₀, Q₀, G₁, Q₁, …
            let row = (index &>> 1) &+ (index & 1 == 0 ? 0 : table.windows.count)
            guard sum.add(summands[row]) else { return .undecided }
        }
        // x = X / Z² must be r or, if below p, r + n.
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
    ///   - indices: Memory for the indices, which are stored `stride` apart.
    ///   - stride: The distance between two indices.
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
