/// The result of a `SignatureCheck`.
package enum Verdict: Hashable, Sendable, BitwiseCopyable {
    /// The signature is valid.
    case valid

    /// The signature is invalid.
    case invalid

    /// The sum has two points with the same x, which the formulas do not cover; use another implementation.
    ///
    /// A sender can force this, which costs only a slower verification: see <doc:Verification>.
    case undecided
}
