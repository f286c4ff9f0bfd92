/// The answer to a `SignatureCheck`.
package enum Verdict: Hashable, Sendable, BitwiseCopyable {
    /// The signature is the key holder's.
    case valid

    /// The signature is not the key holder's.
    case invalid

    /// The sum met two points with the same x, which these formulas do not cover: ask another implementation.
    ///
    /// With keys whose discrete logarithm nobody knows this is as improbable as guessing a key; it happens with keys
    /// such as G itself.
    case undecided
}
