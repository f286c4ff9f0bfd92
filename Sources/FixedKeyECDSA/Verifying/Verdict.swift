/// The result of a `SignatureCheck`.
package enum Verdict: Hashable, Sendable, BitwiseCopyable {
    /// The signature is valid.
    case valid

    /// The signature is invalid.
    case invalid

    /// The sum has two points with the same x, which the formulas do not cover; use another implementation.
    ///
    /// Senders can force this, but it never changes a verdict: see <doc:Verification>.
    case undecided
}
