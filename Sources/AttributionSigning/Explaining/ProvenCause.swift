/// Why a signature does not verify: a cause that one verification proved, and nothing that could be counted.
package struct ProvenCause: Hashable, Sendable {
    /// The cause, as an ``Explanation`` names it; neither ``ExplanationCause/nothing`` nor
    /// ``ExplanationCause/unexplained``.
    package let cause: ExplanationCause
    /// The field at fault, or several, comma-separated; nil if no field is.
    package let field: String?
}
